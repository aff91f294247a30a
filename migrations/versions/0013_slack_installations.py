"""Where the Slack app is installed by OAuth, and installations that are under way."""

from alembic import op

revision = "0013_slack_installations"
down_revision = "0012_extracted_sections"

TABLES = """
CREATE TABLE citebound.slack_installations (
  id bigint GENERATED ALWAYS AS IDENTITY,
  client_id text NOT NULL,
  enterprise_id text,
  team_id text,
  user_id text NOT NULL,
  app_id text NOT NULL,
  bot_id text NOT NULL,
  bot_user_id text NOT NULL,
  label text NOT NULL,
  scopes text[] NOT NULL,
  sealed bytea NOT NULL,
  token_expires_at timestamptz,
  installed_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT slack_installations_pkey PRIMARY KEY (id),
  CONSTRAINT slack_installations_client_id_enterprise_id_team_id_user_id_key
    UNIQUE NULLS NOT DISTINCT (client_id, enterprise_id, team_id, user_id),
  CONSTRAINT slack_installations_place_check
    CHECK (enterprise_id IS NOT NULL OR team_id IS NOT NULL));
COMMENT ON COLUMN citebound.slack_installations.enterprise_id IS 'null: no Enterprise Grid';
COMMENT ON COLUMN citebound.slack_installations.team_id IS 'null: the whole organisation';
COMMENT ON COLUMN citebound.slack_installations.user_id IS 'who installed it';
COMMENT ON COLUMN citebound.slack_installations.sealed IS
  'access and refresh token: AES-256-GCM, bound to the columns of the unique key';
COMMENT ON COLUMN citebound.slack_installations.token_expires_at IS 'null: never';

CREATE TABLE citebound.slack_oauth_states (
  state_hash bytea NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT slack_oauth_states_pkey PRIMARY KEY (state_hash));
COMMENT ON COLUMN citebound.slack_oauth_states.state_hash IS 'SHA-256; deleted when it is used';
"""


def upgrade() -> None:
    """Create both tables."""
    op.execute(TABLES)


def downgrade() -> None:
    """Drop them: the app is to be installed again."""
    op.execute("DROP TABLE citebound.slack_oauth_states, citebound.slack_installations")
