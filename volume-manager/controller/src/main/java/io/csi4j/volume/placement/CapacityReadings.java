package io.csi4j.volume.placement;

import io.csi4j.client.controller.Capacity;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.volume.catalog.VolumeSpec;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.model.PluginId;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The room that plugins said they have, for each kind of volume and each place. A figure is used
 * until it is too old, and longer where the plugin cannot be asked again.
 */
final class CapacityReadings {

  /** The number of calls of one report that are in flight at once. */
  private static final int AT_ONCE = 16;

  /** The number of figures that are kept; beyond that all are forgotten. */
  private static final int MOST = 4096;

  private final VolumeController controller;
  private final Clock clock;
  private final Duration maxAge;
  private final Duration patience;
  private final ConcurrentMap<Kind, Figure> figures = new ConcurrentHashMap<>();

  /** What a plugin is asked about: exactly what CreateVolume will send. */
  private record Kind(
      PluginId plugin,
      SortedMap<String, String> parameters,
      Set<VolumeCapability> capabilities,
      Optional<Topology> place) {}

  private record Figure(Capacity capacity, Instant read) {}

  /**
   * What is known of a place.
   *
   * @param reading the figure; nothing if it is not known
   * @param why why it is not known, or not as new as it should be; empty if it is
   */
  record Known(Optional<CapacityReading> reading, String why) {}

  CapacityReadings(VolumeController controller, Clock clock, Duration maxAge, Duration patience) {
    this.controller = controller;
    this.clock = clock;
    this.maxAge = maxAge;
    this.patience = patience;
  }

  void forget(PluginId plugin) {
    figures.keySet().removeIf(kind -> kind.plugin().equals(plugin));
  }

  /** Reads the room for a volume in each of the places; asks only where no figure is new enough. */
  Map<Optional<Topology>, Known> read(VolumeSpec spec, Collection<Optional<Topology>> places) {
    List<Optional<Topology>> old =
        places.stream().distinct().filter(place -> !isFresh(kind(spec, place))).toList();
    Map<Optional<Topology>, String> failures = old.isEmpty() ? Map.of() : ask(spec, old);
    Map<Optional<Topology>, Known> known = new HashMap<>();
    for (Optional<Topology> place : places) {
      known.put(place, known(spec, place, failures.getOrDefault(place, "")));
    }
    return known;
  }

  private Known known(VolumeSpec spec, Optional<Topology> place, String failure) {
    Figure figure = figures.get(kind(spec, place));
    if (figure == null) {
      return new Known(Optional.empty(), failure);
    }
    return new Known(Optional.of(new CapacityReading(figure.capacity(), age(figure))), failure);
  }

  private Duration age(Figure figure) {
    Duration age = Duration.between(figure.read(), clock.instant());
    return age.isNegative() ? Duration.ZERO : age;
  }

  private boolean isFresh(Kind kind) {
    Figure figure = figures.get(kind);
    return figure != null && age(figure).compareTo(maxAge) < 0;
  }

  private static Kind kind(VolumeSpec spec, Optional<Topology> place) {
    return new Kind(spec.plugin(), spec.parameters(), spec.capabilitiesInFull(), place);
  }

  /** Asks for these places. Returns why it failed where it did. */
  private Map<Optional<Topology>, String> ask(VolumeSpec spec, List<Optional<Topology>> places) {
    Map<Optional<Topology>, String> failures = new HashMap<>();
    Optional<String> notAsked = whyNotAsked(spec.plugin());
    if (notAsked.isPresent()) {
      places.forEach(place -> failures.put(place, notAsked.get()));
      return failures;
    }
    long end = System.nanoTime() + patience.toNanos();
    for (int at = 0; at < places.size(); at += AT_ONCE) {
      List<Optional<Topology>> some = places.subList(at, Math.min(places.size(), at + AT_ONCE));
      List<CompletableFuture<Capacity>> answers = new ArrayList<>();
      some.forEach(place -> answers.add(asked(spec, place)));
      for (int i = 0; i < some.size(); i++) {
        String failure = ended(answers.get(i), end - System.nanoTime());
        if (!failure.isEmpty()) {
          failures.put(some.get(i), failure);
        }
      }
    }
    return failures;
  }

  private Optional<String> whyNotAsked(PluginId plugin) {
    try {
      return controller.offered(plugin).contains(ControllerCapability.GET_CAPACITY)
          ? Optional.empty()
          : Optional.of("the plugin does not say how much room it has");
    } catch (ControllerException down) {
      return Optional.of("its controller cannot be asked for room: " + seen(down));
    }
  }

  /** A late answer is kept, too, for the next report. */
  private CompletableFuture<Capacity> asked(VolumeSpec spec, Optional<Topology> place) {
    return controller
        .async()
        .capacity(spec, place)
        .thenApply(
            capacity -> {
              if (figures.size() >= MOST) {
                figures.clear();
              }
              figures.put(kind(spec, place), new Figure(capacity, clock.instant()));
              return capacity;
            })
        .toCompletableFuture();
  }

  /** Waits for one. Returns why there is no answer; empty if there is one. */
  private String ended(CompletableFuture<Capacity> answer, long nanos) {
    try {
      answer.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
      return "";
    } catch (TimeoutException late) {
      return "the plugin did not say within " + patience.toSeconds() + " s how much room it has";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "the thread that waited for the plugin's room was interrupted";
    } catch (ExecutionException failed) {
      return "asking for its room failed: " + seen(failed.getCause());
    }
  }

  private static String seen(@Nullable Throwable failure) {
    return failure instanceof ControllerException known
        ? known.operatorMessage().seen().text()
        : String.valueOf(failure);
  }
}
