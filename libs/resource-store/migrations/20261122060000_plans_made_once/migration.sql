-- Everything a commit asks for is found by a key, so its statements are planned once for a connection: planning them for the values of
-- each write took longer than executing them. ADR 0174
ALTER FUNCTION commit_resource_writes(jsonb, text) SET plan_cache_mode = force_generic_plan;
