-- Which objects of a kind there are in a namespace (or the one of a name) and what is asked of them, as `digestOf` says it of
-- objects in memory.
CREATE FUNCTION digest_of_resources(guard jsonb) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT count(*) || ':' || encode(sha256(convert_to(coalesce(string_agg(part, ',' ORDER BY part COLLATE "C"), ''), 'UTF8')), 'hex')
  FROM (
    SELECT uid || ':' || (object #>> '{metadata,generation}') AS part FROM resources
    WHERE api_group = guard ->> 'group' AND kind = guard ->> 'kind' AND namespace = guard ->> 'namespace'
      AND (NOT guard ? 'name' OR name = guard ->> 'name')
  ) AS parts
$$;

-- As before, and with
--   guards     [{group, kind, namespace, name?, digest}] of objects that must be as they were seen (absent: none)
CREATE OR REPLACE FUNCTION is_current_resource_write(write jsonb) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  RETURN NOT EXISTS (
      SELECT FROM jsonb_each_text(write -> 'versions') AS expected (uid, revision)
      LEFT JOIN resources USING (uid)
      WHERE resources.revision IS DISTINCT FROM expected.revision::bigint)
    AND (write -> 'dependents' = '{}' OR NOT EXISTS (
      SELECT FROM jsonb_each_text(write -> 'dependents') AS expected (uid, number)
      WHERE expected.number::bigint <> (
        SELECT count(*) FROM resources WHERE owner_uids @> jsonb_build_array(expected.uid))))
    AND (write -> 'absent' = 'null' OR NOT EXISTS (
      SELECT FROM resources
      WHERE api_group = write #>> '{absent,group}' AND kind = write #>> '{absent,kind}'
        AND namespace = write #>> '{absent,namespace}' AND name = write #>> '{absent,name}'))
    AND (NOT write ? 'guards' OR NOT EXISTS (
      SELECT FROM jsonb_array_elements(write -> 'guards') AS guard (value)
      WHERE digest_of_resources(guard.value) <> guard.value ->> 'digest'));
END
$$;
