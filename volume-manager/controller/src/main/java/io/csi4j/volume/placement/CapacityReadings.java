package io.csi4j.volume.placement;

import io.csi4j.client.controller.Capacity;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.placement.Placement.CapacityReading;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The free capacity that plugins reported, for each kind of volume and each topology. A reading is
 * used until it is too old, and longer if the plugin cannot be called again.
 */
final class CapacityReadings {

  /** The maximum number of concurrent calls for one report. */
  private static final int AT_ONCE = 16;

  /** The maximum number of readings that are kept; when it is exceeded, all are discarded. */
  private static final int MOST = 4096;

  /** The age from which a reading is refreshed. */
  private static final Duration MAX_AGE = Duration.ofMinutes(1);

  private static final String INTERRUPTED =
      "the thread that waited for the plugin's capacity was interrupted";

  private final VolumeController controller;
  private final Clock clock;
  private final Duration patience;
  private final ConcurrentMap<Kind, Figure> figures = new ConcurrentHashMap<>();

  /** The calls without an answer yet; a discarded call is removed. */
  private final ConcurrentMap<Kind, CompletableFuture<Capacity>> open = new ConcurrentHashMap<>();

  /** The parameters of GetCapacity, exactly as CreateVolume will send them. */
  private record Kind(
      PluginId plugin,
      SortedMap<String, String> parameters,
      Set<VolumeCapability> capabilities,
      Optional<Topology> place) {}

  private record Figure(Capacity capacity, Instant read) {}

  /**
   * The knowledge about one topology.
   *
   * @param reading the reading; empty if not known
   * @param why why the reading is missing or outdated; empty if it is neither
   */
  record Known(Optional<CapacityReading> reading, String why) {}

  CapacityReadings(VolumeController controller, Clock clock, Duration patience) {
    this.controller = controller;
    this.clock = clock;
    this.patience = patience;
  }

  /** Discards the readings of a plugin, and the answers to calls that were sent before. */
  void forget(PluginId plugin) {
    open.keySet().removeIf(kind -> kind.plugin().equals(plugin));
    figures.keySet().removeIf(kind -> kind.plugin().equals(plugin));
  }

  /**
   * Reads the capacity for a volume in each topology; calls the plugin only if no reading is recent
   * enough.
   */
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
      return new Known(
          Optional.empty(),
          failure.isEmpty() ? "the capacity that the plugin reported was discarded" : failure);
    }
    return new Known(Optional.of(new CapacityReading(figure.capacity(), age(figure))), failure);
  }

  private Duration age(Figure figure) {
    Duration age = Duration.between(figure.read(), clock.instant());
    return age.isNegative() ? Duration.ZERO : age;
  }

  private boolean isFresh(Kind kind) {
    Figure figure = figures.get(kind);
    return figure != null && age(figure).compareTo(MAX_AGE) < 0;
  }

  private static Kind kind(VolumeSpec spec, Optional<Topology> place) {
    return new Kind(spec.plugin(), spec.parameters(), spec.capabilitiesInFull(), place);
  }

  /**
   * Calls the plugin for these topologies, and waits for calls that are still open. Makes no more
   * calls once the time is over, or when the plugin cannot be called. The query of the plugin's
   * capabilities is included in the time limit. Returns the reason of each failure.
   */
  private Map<Optional<Topology>, String> ask(VolumeSpec spec, List<Optional<Topology>> places) {
    Map<Optional<Topology>, String> failures = new HashMap<>();
    // The map changes while the topologies are sorted.
    Set<Kind> asked = Set.copyOf(open.keySet());
    List<Optional<Topology>> ordered = new ArrayList<>(places);
    ordered.sort(Comparator.comparing(place -> !asked.contains(kind(spec, place))));
    long end = System.nanoTime() + patience.toNanos();
    for (int at = 0; at < ordered.size(); at += AT_ONCE) {
      boolean isInterrupted = Thread.currentThread().isInterrupted();
      if (at > 0 && (isInterrupted || end - System.nanoTime() <= 0)) {
        String why = isInterrupted ? INTERRUPTED : late();
        ordered.subList(at, ordered.size()).forEach(place -> failures.put(place, why));
        break;
      }
      List<Optional<Topology>> some = ordered.subList(at, Math.min(ordered.size(), at + AT_ONCE));
      List<CompletableFuture<Capacity>> answers = new ArrayList<>();
      some.forEach(place -> answers.add(asked(spec, place)));
      Optional<End> notAsked = Optional.empty();
      for (int i = 0; i < some.size(); i++) {
        End ended = ended(answers.get(i), end - System.nanoTime());
        if (!ended.failure().isEmpty()) {
          failures.put(some.get(i), ended.failure());
        }
        if (!ended.isAsked()) {
          notAsked = Optional.of(ended);
        }
      }
      if (notAsked.isPresent()) {
        String why = notAsked.get().failure();
        ordered.subList(at + some.size(), ordered.size()).forEach(rest -> failures.put(rest, why));
        break;
      }
    }
    return failures;
  }

  /**
   * The end of a call.
   *
   * @param failure why there is no answer; empty if there is one
   * @param isAsked whether the plugin was called; if not, no other call would be sent either
   */
  private record End(String failure, boolean isAsked) {}

  private static End failed(@Nullable Throwable failure) {
    if (failure instanceof ControllerException known
        && known.code() == OperatorCode.CONTROLLER_CALL_NOT_OFFERED) {
      return new End("the plugin does not report its capacity", false);
    }
    return failure instanceof ControllerException known
            && known.outcome() == ChangeOutcome.UNAVAILABLE
        ? new End("its controller cannot report its capacity: " + seen(known), false)
        : new End("reading its capacity failed: " + seen(failure), true);
  }

  /** Calls the plugin, unless the same call is open. A late answer is kept for the next report. */
  private CompletableFuture<Capacity> asked(VolumeSpec spec, Optional<Topology> place) {
    Kind kind = kind(spec, place);
    CompletableFuture<Capacity> question = new CompletableFuture<>();
    CompletableFuture<Capacity> before = open.putIfAbsent(kind, question);
    if (before != null) {
      return before;
    }
    CompletionStage<Capacity> answer;
    try {
      answer = controller.async().capacity(spec, place);
    } catch (RuntimeException notSent) {
      answer = CompletableFuture.failedStage(notSent);
    }
    answer.whenComplete(
        (capacity, failure) -> {
          if (failure == null) {
            open.computeIfPresent(kind, (same, now) -> kept(kind, capacity, now, question));
            question.complete(capacity);
          } else {
            open.remove(kind, question);
            question.completeExceptionally(failure);
          }
        });
    return question;
  }

  /**
   * Keeps the answer of a call, if that call is still the open one. Returns the open call after
   * that.
   */
  private @Nullable CompletableFuture<Capacity> kept(
      Kind kind,
      Capacity capacity,
      CompletableFuture<Capacity> now,
      CompletableFuture<Capacity> question) {
    if (now != question) {
      return now;
    }
    if (figures.size() >= MOST) {
      figures.clear();
    }
    figures.put(kind, new Figure(capacity, clock.instant()));
    return null;
  }

  /** Waits for one call. */
  private End ended(CompletableFuture<Capacity> answer, long nanos) {
    try {
      answer.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
      return new End("", true);
    } catch (TimeoutException late) {
      return new End(late(), true);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new End(INTERRUPTED, true);
    } catch (ExecutionException failed) {
      return failed(failed.getCause());
    }
  }

  private String late() {
    return "the plugin did not report its capacity within " + patience.toSeconds() + " s";
  }

  private static String seen(@Nullable Throwable failure) {
    return failure instanceof ControllerException known
        ? known.operatorMessage().seen().text()
        : String.valueOf(failure);
  }
}
