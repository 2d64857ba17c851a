package io.csi4j.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the registered meters, so that they can be found quickly and can all be removed at the end.
 */
final class Meters {

  /**
   * Bounds of the histogram buckets. The same bounds in all processes allow percentiles across
   * processes.
   */
  private static final Duration[] BUCKETS = {
    Duration.ofMillis(5),
    Duration.ofMillis(25),
    Duration.ofMillis(100),
    Duration.ofMillis(500),
    Duration.ofSeconds(2),
    Duration.ofSeconds(10),
    Duration.ofMinutes(1)
  };

  private final MeterRegistry registry;
  private final Map<Key, Meter> all = new ConcurrentHashMap<>();
  private final Map<Key, AtomicLong> levels = new ConcurrentHashMap<>();
  private final ReentrantLock registering = new ReentrantLock();
  private boolean isClosed;

  /**
   * A time series.
   *
   * @param meter the meter of the series
   * @param values the values of the tags, in the order of the keys
   */
  private record Key(CsiMeter meter, List<String> values) {

    List<Tag> tags() {
      List<Tag> tags = new ArrayList<>();
      for (int i = 0; i < values.size(); i++) {
        tags.add(Tag.of(meter.tags().get(i), values.get(i)));
      }
      return tags;
    }
  }

  Meters(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Records a duration. */
  void time(CsiMeter meter, Duration elapsed, String... values) {
    Key key = new Key(meter, List.of(values));
    Meter timer =
        registered(
            key,
            () ->
                Timer.builder(meter.id())
                    .description(meter.description())
                    .tags(key.tags())
                    .serviceLevelObjectives(BUCKETS)
                    .register(registry));
    if (timer instanceof Timer known) {
      known.record(elapsed);
    }
  }

  /** Counts an event. */
  void count(CsiMeter meter, String... values) {
    Key key = new Key(meter, List.of(values));
    Meter counter =
        registered(
            key,
            () ->
                Counter.builder(meter.id())
                    .description(meter.description())
                    .tags(key.tags())
                    .register(registry));
    if (counter instanceof Counter known) {
      known.increment();
    }
  }

  /** Raises or lowers a gauge that counts open objects. */
  void add(CsiMeter meter, int change, String... values) {
    AtomicLong level =
        levels.computeIfAbsent(new Key(meter, List.of(values)), key -> new AtomicLong());
    level.addAndGet(change);
    gauge(meter, level::get, values);
  }

  /** Registers a gauge, unless it is registered already. */
  void gauge(CsiMeter meter, Supplier<Number> value, String... values) {
    Key key = new Key(meter, List.of(values));
    Meter unused =
        registered(
            key,
            () ->
                Gauge.builder(meter.id(), value)
                    .description(meter.description())
                    .tags(key.tags())
                    .register(registry));
  }

  /** Removes a meter. */
  void remove(CsiMeter meter, String... values) {
    Meter known = all.remove(new Key(meter, List.of(values)));
    if (known != null) {
      registry.remove(known);
    }
  }

  private @Nullable Meter registered(Key key, Supplier<Meter> registration) {
    Meter known = all.get(key);
    if (known != null) {
      return known;
    }
    registering.lock();
    try {
      return isClosed ? null : all.computeIfAbsent(key, absent -> registration.get());
    } finally {
      registering.unlock();
    }
  }

  /** Removes all meters. Afterwards, no meter can be registered. */
  void close() {
    registering.lock();
    try {
      isClosed = true;
      all.values().forEach(registry::remove);
      all.clear();
      levels.clear();
    } finally {
      registering.unlock();
    }
  }
}
