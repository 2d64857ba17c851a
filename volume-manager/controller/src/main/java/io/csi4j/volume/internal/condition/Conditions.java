package io.csi4j.volume.internal.condition;

import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.VolumeCondition;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.volume.model.VolumeHealth;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Converts the volume conditions of plugins with CSI 1.3 to 1.12 to the health model of CSI 1.13.
 */
public final class Conditions {

  private Conditions() {}

  /** Returns the faults in a condition: one entry, or none. */
  public static List<VolumeHealthEntry> entries(VolumeCondition condition) {
    return condition.abnormal()
        ? List.of(
            VolumeHealthEntry.of(
                VolumeHealthEntry.Status.DEGRADED,
                HealthReason.of(VolumeHealth.CONDITION),
                condition.message()))
        : List.of();
  }

  /**
   * Returns the health of a volume; empty if its plugin does not report it, which does not mean
   * healthy.
   */
  public static Optional<VolumeHealthReport> report(VolumeEntry volume) {
    return volume
        .condition()
        .map(condition -> new VolumeHealthReport(volume.volume().id(), entries(condition)));
  }

  /** Returns the health of the volumes in a list for which the plugin reports it. */
  public static Iterable<VolumeHealthReport> reports(Iterable<VolumeEntry> volumes) {
    return () -> {
      Iterator<VolumeEntry> all = volumes.iterator();
      return new Iterator<>() {
        private @Nullable VolumeHealthReport next;

        @Override
        public boolean hasNext() {
          while (next == null && all.hasNext()) {
            next = report(all.next()).orElse(null);
          }
          return next != null;
        }

        @Override
        public VolumeHealthReport next() {
          if (!hasNext() || next == null) {
            throw new NoSuchElementException();
          }
          VolumeHealthReport read = next;
          next = null;
          return read;
        }
      };
    };
  }
}
