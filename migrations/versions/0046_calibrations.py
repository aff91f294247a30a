"""Calibrations with their figures, which of them is in force, and what officers found of answers.

A verdict keeps the numbers of the answer that it is about, and no text: they stay when that goes.
"""

from alembic import op

revision = "0046_calibrations"
down_revision = "0045_precedents"

TABLES = """
CREATE TABLE citebound.calibrations (
  name text CONSTRAINT calibrations_pkey PRIMARY KEY,
  of_models boolean NOT NULL,
  fitted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  data_hash text NOT NULL,
  labels jsonb NOT NULL,
  coefficients jsonb NOT NULL,
  figures jsonb NOT NULL,
  spreads jsonb NOT NULL);
COMMENT ON TABLE citebound.calibrations IS 'What `citebound eval calibrate` fitted; never changed.';
COMMENT ON COLUMN citebound.calibrations.of_models IS
  'true: for drafts of a language model; false: of the rules';
COMMENT ON COLUMN citebound.calibrations.data_hash IS 'SHA-256 of the labels that it was fitted on';
COMMENT ON COLUMN citebound.calibrations.labels IS 'how many of them, by source';
COMMENT ON COLUMN citebound.calibrations.coefficients IS 'intercept, weights and thresholds';
COMMENT ON COLUMN citebound.calibrations.figures IS
  'measured with whole documents and conversations held out, by source of the labels';
COMMENT ON COLUMN citebound.calibrations.spreads IS
  'how each feature was distributed, to see whether that changes';

CREATE TABLE citebound.calibration_activations (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT calibration_activations_pkey PRIMARY KEY,
  of_models boolean NOT NULL,
  name text CONSTRAINT calibration_activations_name_fkey REFERENCES citebound.calibrations,
  at timestamptz NOT NULL DEFAULT clock_timestamp());
COMMENT ON TABLE citebound.calibration_activations IS
  'The newest row of either kind says which calibration is in force.';
COMMENT ON COLUMN citebound.calibration_activations.name IS 'null: the one that is shipped';

CREATE TABLE citebound.verdicts (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT verdicts_pkey PRIMARY KEY,
  answer_id uuid NOT NULL CONSTRAINT verdicts_answer_id_fkey REFERENCES citebound.answers,
  officer text NOT NULL,
  verdict text NOT NULL CONSTRAINT verdicts_verdict_check
    CHECK (verdict IN ('right', 'partly', 'wrong')),
  chance double precision CONSTRAINT verdicts_chance_check CHECK (chance > 0 AND chance <= 1),
  reasoner text NOT NULL,
  conversation_id uuid NOT NULL,
  features jsonb NOT NULL,
  at timestamptz NOT NULL,
  dedupe_key text NOT NULL,
  CONSTRAINT verdicts_dedupe_key_key UNIQUE (officer, dedupe_key));
CREATE INDEX verdicts_answer_id_idx ON citebound.verdicts (answer_id, id);
COMMENT ON TABLE citebound.verdicts IS
  'What officers found of answers: all are kept, the last one of an answer counts.';
COMMENT ON COLUMN citebound.verdicts.officer IS 'login';
COMMENT ON COLUMN citebound.verdicts.chance IS
  'probability with which the sampling plan chose the answer; null: it came otherwise, as a case';
COMMENT ON COLUMN citebound.verdicts.features IS 'the numbers of its run, by name';
"""

GRANTS = """
GRANT SELECT, INSERT ON citebound.calibrations, citebound.calibration_activations, citebound.verdicts TO citebound_app;
GRANT SELECT ON citebound.passage_labels TO citebound_app;
"""  # noqa: E501  # a grant a line

ROWS = """
INSERT INTO citebound.schema_compatibility VALUES ('0046_calibrations', '0044_identity');
INSERT INTO audit.tag (tag, is_outcome) VALUES ('calibration:activated', false);
"""


def upgrade() -> None:
    """Create the tables."""
    op.execute(TABLES)
    op.execute(GRANTS)
    op.execute(ROWS)


def downgrade() -> None:
    """Drop them; the record of verdicts and activations stays."""
    op.execute("DROP TABLE citebound.verdicts, citebound.calibration_activations")
    op.execute("DROP TABLE citebound.calibrations")
    op.execute(
        "DELETE FROM audit.tag t WHERE tag = 'calibration:activated'"
        " AND NOT EXISTS (SELECT FROM audit.record r WHERE r.tag = t.tag)"
    )
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '0046_calibrations'")
