"""Numeric tolerances of the tests, in one table.

A tolerance that two tests share, or that was measured, has its meaning and its unit here. Relative means
relative to the true value.
"""

# --- identities of a manifold, at points within unit distance of the origin ------------------------------
EXACT = 1e-11
"""Absolute: what rounding leaves of an identity that takes one map."""

CHAIN = 1e-9
"""Absolute and relative: the same through a chain of maps, such as log after exp."""

CENTRAL_DIFFERENCE = 1e-5
"""Absolute: error of a central difference with step 1e-5."""

TRIANGLE_CURVATURE = 1e-3
"""Absolute: error of a sectional curvature found from a triangle with sides of 0.01."""

# --- fused loops against the broadcast reference ---------------------------------------------------------
KERNEL_SQDIST = {"rtol": 1e-8, "atol": 1e-14}
"""Squared distances, at radii from 1e-4 to 3."""

KERNEL_GRADIENT = {"rtol": 1e-8, "atol": 1e-9}
"""Gradients, at radii from 1e-4 to 3."""

TWO_KERNELS = {"rtol": 1e-12, "atol": 1e-15}
"""Squared distances of a symmetric block and of a rectangular block of the same points."""

BATCH = {"rtol": 1e-12, "atol": 1e-13}
"""One entry of a batch, and the same entry alone: Jacobi methods may take fewer sweeps alone."""

# --- distances and gradients against exact values --------------------------------------------------------
SHORT_DISTANCE = 1e-13
"""Absolute, for distances up to 1, so that a distance of 1e-7 has six digits; measured: 6e-15."""

HYPERBOLIC_DISTANCE = 1e-10
"""Relative, for distances above 0.1, up to radius 10; measured: 1e-11."""

FAR_MATRICES = 1e-13
"""Relative, for ill-conditioned matrices that are not close to each other; measured: 3e-15."""

NEAR_MATRICES = 2e-9
"""Relative, for ill-conditioned matrices at distance 0.01; measured: 4e-10."""

SPD3_DISTANCE = 2e-10
"""Relative, for SPD3 near equal eigenvalues, beside ROUNDING; measured: 5e-11 at distance 0.01."""

SPD3_GRADIENT = 1e-12
"""Relative, for half the gradient of the same; measured: 5e-13."""

SPD5_DISTANCE = 3e-14
"""Relative and absolute, for SPD5 near equal eigenvalues and far apart; measured: 7e-15."""

SPD5_GRADIENT = 3e-11
"""Relative, for half the gradient of the same, beside ROUNDING; measured: 7e-12 at distance 14."""

ROUNDING = 5e-15
"""Absolute, for distances however small; measured: 2e-15."""

SUBSPACES4_DISTANCE = 5e-14
"""Absolute, for Gr(4,n) where the closed form ends; measured: 2e-14."""

SUBSPACES4_GRADIENT = 1e-11
"""Absolute, for the gradient of the same; measured: 3e-12."""

GRADIENT_EXCESS = 1e-6
"""Relative: how much the length of a gradient of d² may exceed 2 d."""

ZERO = 1e-13
"""Absolute: what rounding may leave of zero."""

# --- linear algebra -------------------------------------------------------------------------------------
CHOLESKY = 1e-15
"""Relative, for every entry of a Cholesky factor; measured: 3e-16 at any condition number."""

EIGENVECTORS = 2e-14
"""Relative to the norm, for eigenvalues and vectors of up to 8 rows; measured: 7e-15."""

GRADED_SINGULAR_VALUES = 1e-14
"""Relative, for each singular value of a graded matrix; measured: 1e-15."""

EIGENVALUES4 = 1e-11
"""Relative to the mean eigenvalue; measured: 1e-12 between two that nearly coincide, and 1e-15 elsewhere."""

EIGENVALUE_SQUARES4 = 3e-15
"""Relative, for the sum of squared eigenvalues, in which those errors cancel; measured: 1e-15."""

LOGARITHM4 = 1e-12
"""Relative; measured: 7e-14 where the least eigenvalue is a hundredth of the mean."""

# --- losses ---------------------------------------------------------------------------------------

LOSS_DERIVATIVE = 1e-5
"""Relative: weights against central differences of the value with step 1e-5."""

LOSS_REORDERED = 1e-12
"""Relative: the same sum in another order; absolute: values that are zero but for rounding."""

LOSS_WEIGHTS = 1e-9
"""Relative: weights computed in two ways. Each is a difference of numbers that may be nearly equal."""

LOSS_TWIN = 1e-10
"""Relative: values against their slow versions in ``naive.py``."""

# --- training -------------------------------------------------------------------------------------

GRADIENT_DERIVATIVE = 1e-5
"""Relative: the gradient against central differences of the loss along geodesics, with step 1e-6."""

GRADIENT_REORDERED = 1e-11
"""Relative to the largest entry: the gradient computed in blocks, which add terms in another order."""

# --- distances, metrics and curvature of graphs -----------------------------------------------------

PATH_LENGTH = 1e-13
"""Relative: lengths of paths, which are sums of weights in an order that depends on the algorithm."""

SCORE = 1e-12
"""Relative, or absolute for scores that are zero: a score computed in blocks, or by its slow version."""

PAIR_SCORE = {"rel": 1e-9, "abs": 1e-12}
"""Scores over pairs and their slow versions: correlations of nearly constant distances lose digits."""

CURVATURE = 1e-12
"""Absolute: δ, Ricci and sectional curvature and angle sums against closed forms."""

RICCI_TRANSPORT = 1e-9
"""Absolute: Ricci curvature against optimal transport by POT, whose solver stops at about this error."""

SECTIONAL_TWIN = 1e-10
"""Absolute and relative: sectional curvature against its slow version, a difference of squared distances."""

# --- embeddings -------------------------------------------------------------------------------------

FRECHET_MEAN = 1e-12
"""Absolute: length of the mean tangent vector at a mean, where it should be zero."""
