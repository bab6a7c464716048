-- Which component is being upgraded: one at a time, whichever replica works on it.
CREATE TABLE component_upgrade (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  component text NOT NULL,
  since timestamptz NOT NULL DEFAULT now()
);
