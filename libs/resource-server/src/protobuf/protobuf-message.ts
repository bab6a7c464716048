import { badRequest } from '@crate/errors';

/** A decoded message: the values of each field number, in order. Lengths-delimited values are bytes, varints numbers. */
export class ProtobufMessage {
  private constructor(private readonly fields: ReadonlyMap<number, readonly (number | Buffer)[]>) {}

  /** Throws BadRequest for what is not a message. */
  static parse(bytes: Buffer): ProtobufMessage {
    const reader = new Reader(bytes);
    const fields = new Map<number, (number | Buffer)[]>();
    while (!reader.isAtEnd) {
      const tag = reader.varint();
      const values = fields.get(tag >>> 3) ?? [];
      values.push(reader.value(tag & 7));
      fields.set(tag >>> 3, values);
    }
    return new ProtobufMessage(fields);
  }

  /** Absent messages read as empty ones, as the format has it. */
  message(field: number): ProtobufMessage {
    const value = this.fields.get(field)?.at(-1);
    return ProtobufMessage.parse(Buffer.isBuffer(value) ? value : Buffer.alloc(0));
  }

  /** True when the field was sent. */
  has(field: number): boolean {
    return this.fields.has(field);
  }

  /** Empty when absent. */
  text(field: number): string {
    return this.texts(field).at(-1) ?? '';
  }

  texts(field: number): readonly string[] {
    return (this.fields.get(field) ?? [])
      .filter((value) => Buffer.isBuffer(value))
      .map((value) => value.toString('utf8'));
  }

  /** The fields that were sent, with their values in order. */
  entries(): Iterable<readonly [number, readonly (number | Buffer)[]]> {
    return this.fields;
  }

  /** Zero when absent. */
  number(field: number): number {
    const value = this.fields.get(field)?.at(-1);
    return typeof value === 'number' ? value : 0;
  }

  boolean(field: number): boolean {
    return this.number(field) === 1;
  }
}

class Reader {
  private offset = 0;

  constructor(private readonly bytes: Buffer) {}

  get isAtEnd(): boolean {
    return this.offset >= this.bytes.length;
  }

  varint(): number {
    let result = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.bytes[this.offset];
      if (byte === undefined) break;
      this.offset += 1;
      result += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return result;
    }
    throw badRequest('the protobuf body is malformed');
  }

  value(wireType: number): number | Buffer {
    switch (wireType) {
      case 0:
        return this.varint();
      case 1:
        return this.take(8);
      case 2:
        return this.take(this.varint());
      case 5:
        return this.take(4);
      default:
        throw badRequest('the protobuf body is malformed');
    }
  }

  private take(length: number): Buffer {
    const end = this.offset + length;
    if (end > this.bytes.length) throw badRequest('the protobuf body is malformed');
    const part = this.bytes.subarray(this.offset, end);
    this.offset = end;
    return part;
  }
}
