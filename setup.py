"""What a wheel holds beside the two packages: migrations and sample policies.

Each stands where its reader looks for it first. All else is in `pyproject.toml`.
"""

from setuptools import find_namespace_packages, setup

MIGRATIONS = "core.adapters.postgres.migrations"
SAMPLES = "bot.console.samples"

setup(
    packages=[
        *find_namespace_packages(include=["bot*", "core*"]),
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
