package io.csi4j.volume.model;

/**
 * The number of one operation of one manager, as in its events and exceptions.
 *
 * @param value the number; it starts at 1 with each start of the manager
 * @since 1.0
 */
public record OperationId(long value) {
  @Override
  public String toString() {
    return "#" + value;
  }
}
