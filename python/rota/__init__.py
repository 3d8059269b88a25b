"""Rota: models that are the same, bit for bit, in this process and on any number of workers.

The estimators have the shape of scikit-learn's. What they have in common is in docs/python.md.
"""
import importlib as _importlib

# Each name is imported when it is first used: `import rota` loads neither SciPy nor the compiled module.
_EXPORTS = {
    "_errors": ("Error", "DataError", "UsageError", "NoInput"),
    "_training": ("Interrupted", "resume"),
    "_validation": ("ConvergenceWarning", "DataConversionWarning", "NotFittedError"),
    "cluster": ("KMeans",),
    "factors": ("ALS", "CCD", "MF", "NMF"),
    "graph": ("PageRank",),
    "linear": ("ElasticNet", "ElasticNetCV", "Lasso", "LassoCV", "LinearRegression", "LinearSVC",
               "LogisticRegression", "Ridge", "lasso_path"),
    "sgd": ("SGDClassifier", "SGDRegressor"),
    "plugin": ("AddPull", "App", "AssignPull", "Lines", "OpenSchedule", "Option", "Pull", "Push", "Random",
               "RandomSchedule", "RotationSchedule", "Round", "RoundRobinSchedule", "RowPull", "Schedule", "Score",
               "Share", "StopBelow", "Table", "Term", "read_numbers", "read_rows", "sum_in_order"),
    "runs": ("Run", "load"),
    "topics": ("LDA", "MedLDA"),
}
_MODULE_OF = {name: module for module, names in _EXPORTS.items() for name in names}

__all__ = [*_MODULE_OF, "__version__"]


def __getattr__(name):
    if name == "__version__":
        return _importlib.import_module("._rota", __name__).version
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'rota' has no attribute '{name}'")
    value = getattr(_importlib.import_module("." + _MODULE_OF[name], __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(__all__)
