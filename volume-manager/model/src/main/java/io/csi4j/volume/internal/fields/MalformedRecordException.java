package io.csi4j.volume.internal.fields;

/** A record that cannot be read. The message says what is wrong with it, not what is in it. */
public final class MalformedRecordException extends Exception {

  private static final long serialVersionUID = 1L;

  /** A failure with this fault. */
  public MalformedRecordException(String message) {
    super(message);
  }
}
