package io.csi4j.benchmarks;

import java.util.Locale;

/** The unit of figures. In all units, less is better. */
public enum Unit {
  /** Nanoseconds. */
  TIME {
    @Override
    public String text(double value) {
      if (value < 1e4) {
        return String.format(Locale.ROOT, "%.0f ns", value);
      }
      if (value < 1e6) {
        return String.format(Locale.ROOT, "%.1f µs", value / 1e3);
      }
      return value < 1e9
          ? String.format(Locale.ROOT, "%.2f ms", value / 1e6)
          : String.format(Locale.ROOT, "%.2f s", value / 1e9);
    }
  },
  /** Bytes. */
  BYTES {
    @Override
    public String text(double value) {
      if (Math.abs(value) < 1 << 14) {
        return String.format(Locale.ROOT, "%.0f B", value);
      }
      return Math.abs(value) < 1 << 20
          ? String.format(Locale.ROOT, "%.1f KiB", value / (1 << 10))
          : String.format(Locale.ROOT, "%.1f MiB", value / (1 << 20));
    }
  },
  /** A number of objects. */
  COUNT {
    @Override
    public String text(double value) {
      return value == Math.rint(value)
          ? String.format(Locale.ROOT, "%.0f", value)
          : String.format(Locale.ROOT, "%.2f", value);
    }
  };

  /** Returns the value as text with a suitable unit. */
  public abstract String text(double value);
}
