-- A checkpoint of a row that was cut proves nothing any more, and one comes each minute. Like rows, checkpoints may go when they lie at
-- or below the floor; nothing else about them changes.
DROP TRIGGER audit_checkpoints_are_append_only ON audit_checkpoints;
CREATE TRIGGER audit_checkpoints_are_append_only BEFORE UPDATE OR TRUNCATE ON audit_checkpoints
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_checkpoints_are_kept BEFORE DELETE ON audit_checkpoints
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_delete();
