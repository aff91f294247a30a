"""What a wheel holds: the product, what `citebound eval` measures with, migrations and samples.

Of `evals` that is `measuring` alone: the rest of it needs a checkout. Migrations and samples stand
where their readers look for them first. All else is in `pyproject.toml`.
"""

from setuptools import find_namespace_packages, setup

MIGRATIONS = "core.adapters.postgres.migrations"
SAMPLES = "bot.console.samples"

setup(
    packages=[
        *find_namespace_packages(include=["bot*", "core*", "evals.measuring*"]),
        MIGRATIONS,
        f"{MIGRATIONS}.versions",
        SAMPLES,
    ],
    package_dir={
        MIGRATIONS: "migrations",
        f"{MIGRATIONS}.versions": "migrations/versions",
        SAMPLES: "samples/policies",
    },
)
