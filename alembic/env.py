"""Runs migrations on the connection that `service.db.session` hands over."""

from alembic import context
from sqlmodel import SQLModel

from service.db import tables

connection = context.config.attributes["connection"]
assert tables.PreviewRow.metadata is SQLModel.metadata
context.configure(connection=connection, target_metadata=SQLModel.metadata, render_as_batch=True, compare_type=True)
with context.begin_transaction():
    context.run_migrations()
