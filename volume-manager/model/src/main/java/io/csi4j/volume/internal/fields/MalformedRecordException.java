package io.csi4j.volume.internal.fields;

/**
 * Thrown when a record cannot be read. The message of the exception describes the fault, and
 * contains no values of the record.
 */
public final class MalformedRecordException extends Exception {

  private static final long serialVersionUID = 1L;

  /** Creates an exception whose message describes the fault. */
  public MalformedRecordException(String message) {
    super(message);
  }
}
