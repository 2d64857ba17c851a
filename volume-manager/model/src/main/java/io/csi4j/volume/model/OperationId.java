package io.csi4j.volume.model;

/**
 * The number of an operation of a manager. The manager's events and exceptions show this number.
 *
 * @param value the number; numbering restarts at 1 with each start of the manager
 * @since 1.0
 */
public record OperationId(long value) {
  @Override
  public String toString() {
    return "#" + value;
  }
}
