package io.csi4j.benchmarks.journal;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/** The longest single pause of the JVM for garbage collection. */
final class LongestPause {

  private final AtomicLong millis = new AtomicLong();

  /** Begins to record pauses. */
  LongestPause() {
    ManagementFactory.getGarbageCollectorMXBeans().stream()
        .filter(collector -> !collector.getName().contains("Concurrent"))
        .forEach(
            collector ->
                ((NotificationEmitter) collector)
                    .addNotificationListener((told, unused) -> take(told), null, null));
  }

  private void take(Notification told) {
    if (told.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
      long lasted =
          GarbageCollectionNotificationInfo.from((CompositeData) told.getUserData())
              .getGcInfo()
              .getDuration();
      millis.accumulateAndGet(lasted, Math::max);
    }
  }

  /** Starts again: only pauses from now on count. */
  void forget() {
    millis.set(0);
  }

  double nanos() {
    return TimeUnit.MILLISECONDS.toNanos(millis.get());
  }
}
