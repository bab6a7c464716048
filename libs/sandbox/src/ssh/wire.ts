/** Reads the length-prefixed fields of SSH's binary encoding (RFC 4251 section 5). */
export class SshReader {
  private offset = 0;

  constructor(private readonly data: Buffer) {}

  uint32(): number {
    const value = this.data.readUInt32BE(this.offset);
    this.offset += 4;
    return value;
  }

  /** Also reads an `mpint`, whose leading zero byte is kept. */
  string(): Buffer {
    const length = this.uint32();
    if (this.offset + length > this.data.length) throw new RangeError('SSH field is longer than its container');
    const value = this.data.subarray(this.offset, this.offset + length);
    this.offset += length;
    return value;
  }

  skip(bytes: number): void {
    this.offset += bytes;
  }
}

/** One length-prefixed field. */
export function sshString(value: Buffer | string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** A positive integer as `mpint`: no needless leading zeros, one when the first bit is set. */
export function sshInteger(value: Buffer): Buffer {
  const trimmed = withoutLeadingZeros(value);
  const isNegative = ((trimmed[0] ?? 0) & 0x80) !== 0;
  return sshString(isNegative ? Buffer.concat([Buffer.of(0), trimmed]) : trimmed);
}

/** The magnitude of an `mpint`, as JSON Web Keys want it. */
export function withoutLeadingZeros(value: Buffer): Buffer {
  const first = value.findIndex((byte) => byte !== 0);
  return first < 0 ? Buffer.alloc(0) : value.subarray(first);
}
