package io.csi4j.testkit.internal.backend;

import io.csi4j.client.internal.proto.CapacityRange;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.model.PluginShape;

/** Computes the sizes of volumes. */
final class VolumeSizes {

  /** Size of a volume if the request names no size. */
  static final long DEFAULT = 1L << 30;

  private VolumeSizes() {}

  /**
   * Returns whether this number of bytes satisfies the requested range. An empty range accepts any
   * size.
   */
  static boolean contains(CapacityRange range, long bytes) {
    return bytes >= range.getRequiredBytes()
        && (range.getLimitBytes() == 0 || bytes <= range.getLimitBytes());
  }

  /**
   * Returns the size of a new volume that must hold {@code least} bytes. Refuses with OUT_OF_RANGE
   * if no size fits.
   */
  static long ofNew(PluginShape shape, CapacityRange range, long least) throws Refusal {
    if (range.getLimitBytes() > 0 && range.getLimitBytes() < least) {
      throw smaller("limit_bytes", range.getLimitBytes(), "source", least, "");
    }
    if (least > 0 && range.getRequiredBytes() > 0 && range.getRequiredBytes() < least) {
      throw smaller("required_bytes", range.getRequiredBytes(), "source", least, "");
    }
    long wanted = range.getRequiredBytes();
    if (wanted == 0) {
      long usual = least > 0 ? least : Math.min(DEFAULT, shape.totalBytes());
      wanted = range.getLimitBytes() > 0 ? Math.min(usual, range.getLimitBytes()) : usual;
    }
    return atMostAll(shape, wanted);
  }

  /**
   * Returns the size of a volume after an expansion. Refuses with OUT_OF_RANGE if the volume would
   * shrink.
   */
  static long ofGrown(PluginShape shape, CapacityRange range, long had) throws Refusal {
    if (range.getLimitBytes() > 0 && range.getLimitBytes() < had) {
      throw smaller("limit_bytes", range.getLimitBytes(), "volume", had, " and cannot shrink");
    }
    return atMostAll(shape, Math.max(had, range.getRequiredBytes()));
  }

  private static long atMostAll(PluginShape shape, long bytes) throws Refusal {
    if (bytes > shape.totalBytes()) {
      throw outOfRange(
          "%s bytes are more than the total of this plugin, which is %s bytes"
              .formatted(bytes, shape.totalBytes()));
    }
    return bytes;
  }

  private static Refusal smaller(String field, long asked, String than, long has, String end) {
    return outOfRange(
        "%s %s is smaller than the %s, which has %s bytes%s"
            .formatted(field, asked, than, has, end));
  }

  static Refusal outOfRange(String why) {
    return new Refusal(StatusCode.OUT_OF_RANGE, "capacity_range: " + why + ". Change the range.");
  }
}
