/** A failure in the engine's own words; the message is what the user reads after `FATA`. */
export class RkeError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RkeError';
  }
}
