"""The paper: its tables and figures as grids of runs, and our results beside the published ones."""
