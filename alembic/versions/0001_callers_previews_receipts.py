"""callers, previews, receipts

Revision ID: 0001
Revises:
Create Date: 2026-12-01 07:20:42.457889
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "caller",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("token_sha256", sa.String(), nullable=False),
        sa.Column("scopes", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("last_used_at", sa.DateTime(), nullable=True),
        sa.Column("revoked_at", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("caller", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_caller_name"), ["name"], unique=True)
        batch_op.create_index(batch_op.f("ix_caller_token_sha256"), ["token_sha256"], unique=True)

    op.create_table(
        "receipt",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("preview_id", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("caller_id", sa.String(), nullable=False),
        sa.Column("caller_name", sa.String(), nullable=False),
        sa.Column("approved_by", sa.String(), nullable=True),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("album_id", sa.String(), nullable=False),
        sa.Column("album_name", sa.String(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("outcome", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("receipt", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_receipt_at"), ["at"], unique=False)
        batch_op.create_index(batch_op.f("ix_receipt_caller_id"), ["caller_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_receipt_preview_id"), ["preview_id"], unique=False)

    op.create_table(
        "preview",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("caller_id", sa.String(), nullable=False),
        sa.Column("album_id", sa.String(), nullable=True),
        sa.Column("album_name", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("criteria", sa.JSON(), nullable=False),
        sa.Column("windows", sa.JSON(), nullable=False),
        sa.Column("summary", sa.JSON(), nullable=False),
        sa.Column("audience", sa.JSON(), nullable=False),
        sa.Column("asset_ids", sa.LargeBinary(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("lease_owner", sa.String(), nullable=True),
        sa.Column("lease_epoch", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.DateTime(), nullable=True),
        sa.Column("name_claim", sa.String(), nullable=True),
        sa.Column("approved_by", sa.String(), nullable=True),
        sa.Column("approved_at", sa.DateTime(), nullable=True),
        sa.Column("seen_album_ids", sa.JSON(), nullable=False),
        sa.Column("create_sent_at", sa.DateTime(), nullable=True),
        sa.Column("target_album_id", sa.String(), nullable=True),
        sa.Column("answered", sa.Integer(), nullable=False),
        sa.Column("in_flight", sa.Integer(), nullable=True),
        sa.Column("added", sa.Integer(), nullable=False),
        sa.Column("already_present", sa.Integer(), nullable=False),
        sa.Column("failed_count", sa.Integer(), nullable=False),
        sa.Column("failed", sa.JSON(), nullable=False),
        sa.Column("receipt_id", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["caller_id"],
            ["caller.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name_claim"),
    )
    with op.batch_alter_table("preview", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_preview_caller_id"), ["caller_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_preview_expires_at"), ["expires_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_preview_state"), ["state"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("preview", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_preview_state"))
        batch_op.drop_index(batch_op.f("ix_preview_expires_at"))
        batch_op.drop_index(batch_op.f("ix_preview_caller_id"))

    op.drop_table("preview")
    with op.batch_alter_table("receipt", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_receipt_preview_id"))
        batch_op.drop_index(batch_op.f("ix_receipt_caller_id"))
        batch_op.drop_index(batch_op.f("ix_receipt_at"))

    op.drop_table("receipt")
    with op.batch_alter_table("caller", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_caller_token_sha256"))
        batch_op.drop_index(batch_op.f("ix_caller_name"))

    op.drop_table("caller")
