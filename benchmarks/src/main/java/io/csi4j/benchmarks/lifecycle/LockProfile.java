package io.csi4j.benchmarks.lifecycle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/**
 * Records, with the flight recorder, for which locks threads wait: monitors, and locks of the JDK.
 */
final class LockProfile implements AutoCloseable {

  private static final int MOST = 6;
  private static final String LOCKS = "java.util.concurrent.locks.ReentrantLock";

  private final Recording recording = new Recording();
  private final long begun = System.nanoTime();

  private LockProfile() {}

  /** Begins to record. */
  static LockProfile begin() {
    LockProfile profile = new LockProfile();
    profile.recording.enable("jdk.JavaMonitorEnter").withoutThreshold().withStackTrace();
    profile.recording.enable("jdk.ThreadPark").withoutThreshold().withStackTrace();
    profile.recording.start();
    return profile;
  }

  /**
   * Returns the classes whose locks threads waited for longest, each with the share of the waits in
   * the total time of {@code threads} threads.
   */
  String end(Path directory, int threads) throws IOException {
    recording.stop();
    double nanos = (System.nanoTime() - begun) * (double) threads;
    Path file = Files.createTempFile(directory, "locks", ".jfr");
    recording.dump(file);
    Map<String, Double> waited = new HashMap<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
      boolean isMonitor = event.getEventType().getName().equals("jdk.JavaMonitorEnter");
      if (isMonitor || isLock(event)) {
        waited.merge(holder(event), (double) event.getDuration().toNanos(), Double::sum);
      }
    }
    Files.delete(file);
    if (waited.isEmpty()) {
      return "no thread waited for a lock";
    }
    List<Map.Entry<String, Double>> sorted =
        waited.entrySet().stream()
            .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
            .limit(MOST)
            .toList();
    return sorted.stream()
        .map(
            each ->
                String.format(
                    Locale.ROOT, "`%s` %.1f %%", each.getKey(), 100 * each.getValue() / nanos))
        .collect(Collectors.joining(", "));
  }

  private static boolean isLock(RecordedEvent event) {
    return event.getEventType().getName().equals("jdk.ThreadPark")
        && event.getClass("parkedClass") != null
        && event.getClass("parkedClass").getName().startsWith(LOCKS);
  }

  /**
   * Returns the class that uses the lock: the first class in the stack trace that is not from the
   * JDK.
   */
  private static String holder(RecordedEvent event) {
    if (event.getStackTrace() == null) {
      return "unknown";
    }
    for (RecordedFrame frame : event.getStackTrace().getFrames()) {
      String name = frame.getMethod().getType().getName();
      if (!name.startsWith("java.") && !name.startsWith("jdk.")) {
        return name.substring(name.lastIndexOf('.') + 1) + "." + frame.getMethod().getName();
      }
    }
    return "the JDK's own";
  }

  @Override
  public void close() {
    recording.close();
  }
}
