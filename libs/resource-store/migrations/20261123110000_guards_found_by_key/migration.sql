-- As before, and a guard that names an object reads that object alone. As one statement for both it was planned once for all values, and read
-- every object of the kind in the namespace: a write that rests on two of a thousand add-ons read two thousand rows.
CREATE OR REPLACE FUNCTION digest_of_resources(guard jsonb) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
  parts text[];
BEGIN
  IF guard ? 'name' THEN
    SELECT array_agg(uid || ':' || (object #>> '{metadata,generation}')) INTO parts FROM resources
    WHERE api_group = guard ->> 'group' AND kind = guard ->> 'kind' AND namespace = guard ->> 'namespace'
      AND name = guard ->> 'name';
  ELSE
    SELECT array_agg(part ORDER BY part COLLATE "C") INTO parts FROM (
      SELECT uid || ':' || (object #>> '{metadata,generation}') AS part FROM resources
      WHERE api_group = guard ->> 'group' AND kind = guard ->> 'kind' AND namespace = guard ->> 'namespace'
    ) AS seen;
  END IF;
  RETURN coalesce(cardinality(parts), 0) || ':'
    || encode(sha256(convert_to(coalesce(array_to_string(parts, ','), ''), 'UTF8')), 'hex');
END
$$;
