#!/usr/bin/env python3
"""The data of the STRADS paper (Lee et al., NIPS 2014, section 5.1, "Lasso"), as LIBSVM text.

usage: lasso_generate.py OUT [--rows=50000] [--columns=1000000] [--per_column=25] [--follow=0.1] [--nonzeros=1000]
                         [--noise=0.1] [--seed=1]

Every column has values in `per_column` rows, drawn from U(0, 1).  A share `follow` of the columns has the rows of the
column before, and 0.9 times its values + 0.1 U(0, 1).  The response is the sum of `nonzeros` columns with standard
normal coefficients, and noise of that share of the sum's deviation.
"""
import numpy as np
from scipy.sparse import csr_matrix
from sklearn.datasets import dump_svmlight_file

from bench_run import arguments


def main():
    parser = arguments(__doc__, "out", rows=50_000, columns=1_000_000, per_column=25, follow=0.1, nonzeros=1000,
                       noise=0.1, seed=1)
    args = parser.parse_args()
    dice = np.random.default_rng(args.seed)
    rows = np.empty((args.columns, args.per_column), dtype=np.int32)
    values = dice.random(rows.shape)
    for j, follows in enumerate(dice.random(args.columns) < args.follow):
        if follows and j > 0:
            rows[j], values[j] = rows[j - 1], 0.9 * values[j - 1] + 0.1 * values[j]
        else:
            rows[j] = dice.choice(args.rows, args.per_column, replace=False, shuffle=False)
    columns = np.repeat(np.arange(args.columns), args.per_column)
    x = csr_matrix((values.ravel(), (rows.ravel(), columns)), shape=(args.rows, args.columns))
    coefficients = np.zeros(args.columns)
    nonzeros = min(args.nonzeros, args.columns)
    coefficients[dice.choice(args.columns, nonzeros, replace=False)] = dice.normal(size=nonzeros)
    signal = x @ coefficients
    response = signal + args.noise * signal.std() * dice.normal(size=args.rows)
    dump_svmlight_file(x, response, args.out, zero_based=False)


if __name__ == "__main__":
    main()
