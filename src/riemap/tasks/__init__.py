"""Predict links and labels from an embedding, and score the predictions on held-out edges and nodes."""

from riemap.tasks.embedding import embed_for_prediction
from riemap.tasks.label_baselines import label_baselines
from riemap.tasks.label_models import LABEL_MODELS
from riemap.tasks.label_predictor import LabelPredictor
from riemap.tasks.label_results import (
    HiddenLabels,
    LabelResults,
    LabelTrial,
    PredictedLabel,
    label_trial,
    predict_labels,
)
from riemap.tasks.labelling import labels_of
from riemap.tasks.link_baselines import link_baselines
from riemap.tasks.link_predictor import LinkPredictor
from riemap.tasks.link_results import HiddenLinks, LinkResults, LinkTrial, link_trial, predict_links
from riemap.tasks.missing_links import PredictedLink, likely_links
from riemap.tasks.splits import EdgeSplit, LabelledPairs, NodeSplit, split_edges, split_nodes
from riemap.tasks.task import Labels, Links, as_task

__all__ = [
    "LABEL_MODELS",
    "EdgeSplit",
    "HiddenLabels",
    "HiddenLinks",
    "LabelPredictor",
    "LabelResults",
    "LabelTrial",
    "LabelledPairs",
    "Labels",
    "LinkPredictor",
    "LinkResults",
    "LinkTrial",
    "Links",
    "NodeSplit",
    "PredictedLabel",
    "PredictedLink",
    "as_task",
    "embed_for_prediction",
    "label_baselines",
    "label_trial",
    "labels_of",
    "likely_links",
    "link_baselines",
    "link_trial",
    "predict_labels",
    "predict_links",
    "split_edges",
    "split_nodes",
]
