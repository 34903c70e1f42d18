"""Numeric tolerances of the tests, each with its reason. All are relative unless they say otherwise."""

# --- losses ---------------------------------------------------------------------------------------

LOSS_DERIVATIVE = 1e-5
"""Of weights against central differences of the value: rounding of a difference with step 1e-5."""

LOSS_REORDERED = 1e-12
"""Of the same sum in another order, and of values that are zero but for rounding (absolute)."""

LOSS_WEIGHTS = 1e-9
"""Of weights computed in two ways: each is a difference of numbers that may be nearly equal."""

LOSS_TWIN = 1e-10
"""Of values against their slow twins in ``naive.py``."""

# --- training -------------------------------------------------------------------------------------

GRADIENT_DERIVATIVE = 1e-5
"""Of the gradient against central differences of the loss along geodesics, with step 1e-6."""

GRADIENT_REORDERED = 1e-11
"""Of the gradient computed in blocks, whose sums have another order; on the scale of its largest entry."""
