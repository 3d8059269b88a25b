"""All checks of scikit-learn for estimators, on every estimator of Rota; none is expected to fail."""
import inspect
import unittest
import unittest.mock
import warnings
from functools import partial

import numpy as np
import rota
import rota._rota
from sklearn.exceptions import SkipTestWarning
from sklearn.utils import estimator_checks

# These are not among the checks of estimators in scikit-learn 1.2, but run on its own.
MORE = (estimator_checks.check_n_features_in_after_fitting, estimator_checks.check_dataframe_column_names_consistency,
        estimator_checks.check_get_feature_names_out_error, estimator_checks.check_transformer_get_feature_names_out,
        estimator_checks.check_transformer_get_feature_names_out_pandas, estimator_checks.check_set_output_transform,
        estimator_checks.check_set_output_transform_pandas, estimator_checks.check_global_ouptut_transform_pandas)


def estimators():
    """The estimator classes that `import rota` offers, without those whose data are not rows."""
    found = []
    for name in rota.__all__:
        one = getattr(rota, name)
        if inspect.isclass(one) and hasattr(one, "get_params") and "2darray" in one()._get_tags()["X_types"]:
            found.append(one)
    return found


class CheckEstimator(unittest.TestCase):
    def test_estimators_pass_all_checks(self):
        self.assertGreater(len(estimators()), 10)
        for kind in estimators():
            estimator = kind()
            self.assertFalse(estimator._get_tags()["_xfail_checks"], kind)
            checks = list(estimator_checks.check_estimator(estimator, generate_only=True))
            if getattr(kind, "_estimator_type", None) == "clusterer":  # which the checks know by a class of theirs
                checks += [(estimator, partial(check, kind.__name__))
                           for check in estimator_checks._yield_clustering_checks(estimator)]
            for one, check in checks:
                name = getattr(check, "func", check).__name__
                with self.subTest(kind=kind.__name__, check=name), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    warnings.simplefilter("error", SkipTestWarning)
                    check(one)
            for check in MORE:
                if ("feature_names_out" in check.__name__ and not hasattr(kind, "get_feature_names_out")
                        or "transform" in check.__name__ and not hasattr(kind, "transform")):
                    continue
                with self.subTest(kind=kind.__name__, check=check.__name__), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    check(kind.__name__, kind())

    def test_a_fit_that_is_interrupted_leaves_the_estimator_as_it_was(self):
        X, y = np.random.default_rng(1).random((30, 30)), np.arange(30) % 2
        for kind in estimators():
            with self.subTest(kind=kind.__name__):
                new, fitted = kind(), kind().fit(X, y)
                before = dict(vars(fitted))
                with unittest.mock.patch.object(rota._rota, "fit", side_effect=KeyboardInterrupt):
                    for one in (new, fitted):
                        with self.assertRaises(KeyboardInterrupt):
                            one.fit(X[:20, :20], y[:20])
                with self.assertRaises(rota.NotFittedError):
                    new._check_is_fitted()
                self.assertEqual(vars(fitted).keys(), before.keys())
                for name, value in before.items():
                    self.assertIs(vars(fitted)[name], value)

    def test_parameters_have_defaults_and_appear_in_the_text_when_they_differ(self):
        for kind in estimators():
            estimator = kind(verbose=1)
            self.assertEqual(repr(estimator), f"{kind.__name__}(verbose=1)")
            self.assertEqual(list(estimator.get_params())[-6:],
                             ["workers", "threads", "hosts", "slurm", "out", "verbose"])
            with self.assertRaisesRegex(ValueError, "Invalid parameter 'no_such'"):
                estimator.set_params(threads=2, no_such=1)
            self.assertEqual(estimator.threads, 1)

    def test_docstrings_name_every_parameter(self):
        for kind in estimators():
            for name in kind().get_params():
                self.assertIn(name, kind.__doc__, kind)


if __name__ == "__main__":
    unittest.main()
