import { describe, expect, it } from '@jest/globals';
import { embedded } from './embedded.js';

describe('embedded', () => {
  it('leaves out lines that are empty or comments alone, half of the indentation, and nothing that runs', () => {
    const script = '#!/bin/bash\n# why\n\nname() { # argument\n  # how\n  echo "${1#x}"\n}\n';
    expect(embedded(script)).toBe('#!/bin/bash\nname() { # argument\n echo "${1#x}"\n}\n');
    const code = "// why\nconst at = 'https://a'; // where\n/** What. */\nfunction a() {\n  // how\n  return at;\n}\n";
    expect(embedded(code)).toBe("const at = 'https://a'; // where\nfunction a() {\n return at;\n}\n");
  });
});
