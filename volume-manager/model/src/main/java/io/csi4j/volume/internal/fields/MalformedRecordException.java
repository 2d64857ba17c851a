package io.csi4j.volume.internal.fields;

/**
 * A record that cannot be read. The message describes the fault, and contains no values of the
 * record.
 */
public final class MalformedRecordException extends Exception {

  private static final long serialVersionUID = 1L;

  /** Creates a failure with this fault. */
  public MalformedRecordException(String message) {
    super(message);
  }
}
