package io.csi4j.volume.upkeep;

import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.catalog.UnusedVolume;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimPage;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.JobVolumes;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.internal.claims.RoundOfCalls;
import io.csi4j.volume.internal.names.Durations;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.OperatorMessage.Part;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Releases what is no longer needed, in two steps: a plan with a reason for each item, and its
 * application, which checks each item again immediately before. Age alone frees nothing: a claim is
 * only freed through its normal release, with proof.
 *
 * <p>Call it from time to time, on a thread of the host. Methods block while they wait for the
 * store and the sources.
 *
 * @since 1.0
 */
public final class Reaper {

  /** The number of claims that are read at a time. */
  private static final int PAGE = 500;

  private final ClaimBook book;
  private final Sources sources;
  private final Clock clock;
  private final Consumer<OperatorMessage> told;

  /** The unused volumes that were reported, each with the time since which it is unused. */
  private final ConcurrentMap<VolumeKey, Instant> advised = new ConcurrentHashMap<>();

  /** The volumes whose items come last in the next application. */
  private volatile List<VolumeKey> last = List.of();

  /**
   * Creates a reaper of the claims in this book.
   *
   * @param clock the clock, for the ages that are shown to people
   * @param told receives messages about released items and, with each plan, about claims that
   *     cannot be read
   */
  public Reaper(ClaimBook book, Sources sources, Clock clock, Consumer<OperatorMessage> told) {
    this.book = Objects.requireNonNull(book, "book");
    this.sources = Objects.requireNonNull(sources, "sources");
    this.clock = Objects.requireNonNull(clock, "clock");
    this.told = Objects.requireNonNull(told, "told");
  }

  /**
   * Returns the items that could be released now. Changes nothing. A claim that cannot be read is
   * reported and left alone, and the plan does not delete its volume.
   */
  public List<Leftover> plan() {
    List<Leftover> items = new ArrayList<>();
    boolean isEachReadable = true;
    Optional<VolumeKey> after = Optional.empty();
    do {
      ClaimPage page = book.page(after, PAGE);
      page.claims().forEach(each -> claimed(each, items));
      page.unreadable().forEach(each -> told.accept(each.message()));
      isEachReadable &= page.unreadable().isEmpty();
      after = page.next();
    } while (after.isPresent());
    sources
        .plugins()
        .unused()
        .forEach((plugin, reason) -> items.add(new Leftover.UnusedPlugin(plugin, reason)));
    for (VolumeKey volume : sources.ephemeral().pending()) {
      if (isEachReadable || isReadable(volume)) {
        items.add(
            new Leftover.EphemeralVolume(
                volume, new Part("its workload has ended, but its deletion is not complete")));
      }
    }
    return List.copyOf(items);
  }

  /**
   * Returns the volumes that no workload has used for a long time, if the sources look for them, as
   * advice for people. No plan contains them, and nothing is done about them. The listener is
   * notified of each once, and again if the volume was used meanwhile.
   */
  public List<UnusedVolume> unused() {
    List<UnusedVolume> found = sources.unused().find(clock.instant());
    advised.keySet().retainAll(found.stream().map(UnusedVolume::key).collect(Collectors.toSet()));
    for (UnusedVolume each : found) {
      if (!each.since().equals(advised.put(each.key(), each.since()))) {
        told.accept(each.message());
      }
    }
    return found;
  }

  /** Reads this claim itself: the page may not show whose claims it cannot read. */
  private boolean isReadable(VolumeKey volume) {
    try {
      return book.read(volume).volume().equals(volume);
    } catch (ClaimException refused) {
      if (refused.code() == OperatorCode.CLAIM_UNREADABLE) {
        return false;
      }
      throw refused;
    }
  }

  private void claimed(Claim claim, List<Leftover> items) {
    for (ClaimHolder holder : claim.holders().values()) {
      leftover(VolumeUse.of(claim.volume(), holder.workload()), holder).ifPresent(items::add);
    }
  }

  /** Returns the leftover for a claim, if the claim is one. */
  private Optional<Leftover> leftover(VolumeUse usage, ClaimHolder holder) {
    if (holder.state() != ClaimHolder.State.TAKEN) {
      return Optional.of(
          new Leftover.PastClaim(
              usage,
              holder,
              new Part("it is " + holder.state() + ", but is not free yet" + age(holder))));
    }
    return isOrphaned(usage, holder)
        ? Optional.of(
            new Leftover.OrphanedClaim(
                usage,
                holder,
                new Part(
                    "node '"
                        + holder.node()
                        + "' has neither a record nor a mount of it, and its host no longer wants"
                        + " it"
                        + age(holder))))
        : Optional.empty();
  }

  private boolean isOrphaned(VolumeUse usage, ClaimHolder holder) {
    return here(holder).filter(node -> !node.wants(usage)).isPresent()
        && receipt(usage, holder).isPresent();
  }

  /** The node that the reaper runs on, if the claim is of that node. */
  private Optional<Sources.Node> here(ClaimHolder holder) {
    return sources.node().filter(node -> node.name().equals(holder.node()));
  }

  private Optional<NodeReceipt> receipt(VolumeUse usage, ClaimHolder holder) {
    try {
      return here(holder).map(node -> node.receipt(usage, holder.epoch()));
    } catch (VolumeException isThere) {
      return Optional.empty();
    }
  }

  /** Only for people; no decision depends on it. */
  private String age(ClaimHolder holder) {
    return " (claimed "
        + Math.max(0, Duration.between(holder.since(), clock.instant()).toSeconds())
        + " s ago)";
  }

  /**
   * Releases the items of the plan, one after the other, if they are still unneeded.
   *
   * <p>Each call to a plugin may use the time for its turn and the budget of its policy ({@link
   * io.csi4j.volume.controller.ControllerSettings}). A plugin that leaves two calls without an
   * answer is not called again during this application: its other items fail immediately, and those
   * of other plugins continue. So each such plugin costs at most twice that time, no matter how
   * many items it has. Items without an answer come last in the next application, so that each gets
   * its turn.
   *
   * @param throttle the pauses between items
   * @return the result of each item that was started, in the order of the plan
   */
  public List<Result> apply(List<Leftover> plan, Throttle throttle) {
    List<VolumeKey> lastNow = last;
    RoundOfCalls round = new RoundOfCalls();
    ClaimCoordinator claims = sources.claims().through(round::over);
    Map<Leftover, Result> ends = new HashMap<>();
    try {
      for (Leftover item : RoundOfCalls.ordered(plan, Reaper::volume, lastNow)) {
        throttle.next();
        ends.put(item, apply(item, claims, round));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      last = round.last(lastNow);
    }
    return plan.stream().flatMap(item -> Optional.ofNullable(ends.get(item)).stream()).toList();
  }

  /** Returns the volume whose plugin may be called for an item. */
  private static Optional<VolumeKey> volume(Leftover item) {
    if (item instanceof Leftover.PastClaim past) {
      return Optional.of(past.usage().volume());
    } else if (item instanceof Leftover.OrphanedClaim orphan) {
      return Optional.of(orphan.usage().volume());
    }
    return item instanceof Leftover.EphemeralVolume ephemeral
        ? Optional.of(ephemeral.volume())
        : Optional.empty();
  }

  private Result apply(Leftover item, ClaimCoordinator claims, RoundOfCalls round) {
    try {
      if (item instanceof Leftover.PastClaim past) {
        return past(past, claims);
      } else if (item instanceof Leftover.OrphanedClaim orphan) {
        return orphan(orphan, claims);
      } else if (item instanceof Leftover.UnusedPlugin plugin) {
        return plugin(plugin);
      }
      return ephemeral((Leftover.EphemeralVolume) item, round);
    } catch (RuntimeException failure) {
      return ended(item, Result.End.FAILED, String.valueOf(failure.getMessage()));
    }
  }

  /** The claim of an item, if it is unchanged. */
  private Optional<ClaimHolder> same(VolumeUse usage, ClaimHolder seen) {
    return book.read(usage.volume())
        .holder(usage.workload())
        .filter(now -> now.epoch() == seen.epoch() && now.state() == seen.state());
  }

  private Result past(Leftover.PastClaim item, ClaimCoordinator claims) {
    Optional<ClaimHolder> now = same(item.usage(), item.holder());
    if (now.isEmpty()) {
      return stale(item);
    }
    Optional<NodeReceipt> receipt =
        now.filter(holder -> holder.state() == ClaimHolder.State.UNPUBLISHING)
            .flatMap(holder -> receipt(item.usage(), holder));
    if (receipt.isEmpty()) {
      return brought(item, claims.resume(item.usage()));
    }
    tell(OperatorCode.DETACH_RESUMED, item.usage(), item.reason());
    return brought(item, claims.confirmRelease(receipt.get()));
  }

  private Result orphan(Leftover.OrphanedClaim item, ClaimCoordinator claims) {
    Optional<ClaimHolder> now = same(item.usage(), item.holder());
    if (now.isEmpty() || !isOrphaned(item.usage(), now.get())) {
      return stale(item);
    }
    tell(OperatorCode.CLAIM_ORPHANED, item.usage(), item.reason());
    // From here on, the node mounts nothing with this claim; only a receipt given after that is a
    // proof.
    ClaimProgress leaving = claims.release(item.usage());
    Optional<NodeReceipt> receipt =
        leaving instanceof ClaimProgress.WaitsForNode waits
            ? receipt(item.usage(), waits.holder())
            : Optional.empty();
    return brought(item, receipt.map(claims::confirmRelease).orElse(leaving));
  }

  private Result plugin(Leftover.UnusedPlugin item) {
    if (!sources.plugins().unused().containsKey(item.plugin())) {
      return stale(item);
    }
    return sources.plugins().forget(item.plugin())
        ? ended(item, Result.End.DONE, "it was removed")
        : stale(item);
  }

  private Result ephemeral(Leftover.EphemeralVolume item, RoundOfCalls round) {
    if (!sources.ephemeral().pending().contains(item.volume())) {
      return stale(item);
    }
    Optional<ReasonText> left = round.whyLeft(item.volume());
    if (left.isPresent()) {
      return ended(item, Result.End.FAILED, left.get().text());
    }
    try {
      return sources.ephemeral().delete(item.volume())
          ? ended(item, Result.End.DONE, "it was deleted")
          : ended(item, Result.End.FAILED, "it is not deleted yet");
    } catch (ControllerException failed) {
      // A call that did not get its turn has no status.
      round.failed(
          item.volume(),
          failed.code() == OperatorCode.CONTROLLER_BUSY
              ? StatusCode.UNAVAILABLE
              : failed.status().orElse(StatusCode.UNKNOWN));
      throw failed;
    }
  }

  private static Result brought(Leftover item, ClaimProgress progress) {
    return progress instanceof ClaimProgress.Gone
        ? ended(item, Result.End.DONE, "it is free")
        : ended(item, Result.End.FAILED, waitsFor(progress));
  }

  private static String waitsFor(ClaimProgress progress) {
    if (progress instanceof ClaimProgress.WaitsForNode) {
      return "its node must prove that it has nothing mounted";
    } else if (progress instanceof ClaimProgress.WaitsForStorage stuck) {
      return stuck.message().seen().text();
    } else if (progress instanceof ClaimProgress.NeedsProof needs) {
      return needs.message().seen().text();
    }
    return progress instanceof ClaimProgress.Failed failed
        ? failed.message().seen().text()
        : "it is held";
  }

  private static Result stale(Leftover item) {
    return ended(item, Result.End.STALE, "it changed after the plan was made");
  }

  private static Result ended(Leftover item, Result.End end, String because) {
    return new Result(item, end, new Part(because));
  }

  private void tell(OperatorCode code, VolumeUse usage, Part reason) {
    told.accept(Messages.of(code, Subject.of("releasing the claim of").by(usage), reason.text()));
  }

  /**
   * The result of one item of the plan of a {@link Reaper}.
   *
   * @param item the item
   * @param end the outcome of the item
   * @param because the reason, or the work done: one line for people
   * @since 1.0
   */
  public record Result(Leftover item, End end, OperatorMessage.Part because) {

    /** The outcomes of an item. */
    public enum End {
      /** The item is gone, or its release has begun and waits for another party. */
      DONE,
      /** The item had changed since the plan was made, and was left alone. */
      STALE,
      /** The item could not be released; the next plan contains it again. */
      FAILED
    }

    /** Checks that all parts are set. */
    public Result {
      Objects.requireNonNull(item, "item");
      Objects.requireNonNull(end, "end");
      Objects.requireNonNull(because, "because");
    }
  }

  /**
   * The sources of leftovers, and the actions that remove them.
   *
   * @param claims advances releases of claims, by their states and with proof
   * @param node the node that the reaper runs on, if it has one
   * @param plugins the plugins that may be removed from the registry
   * @param ephemeral the volumes that may be deleted
   * @param unused the volumes to report as advice
   * @since 1.0
   */
  public record Sources(
      ClaimCoordinator claims,
      Optional<Node> node,
      Plugins plugins,
      Ephemeral ephemeral,
      Unused unused) {

    /** Checks that all parts are set. */
    public Sources {
      Objects.requireNonNull(claims, "claims");
      Objects.requireNonNull(node, "node");
      Objects.requireNonNull(plugins, "plugins");
      Objects.requireNonNull(ephemeral, "ephemeral");
      Objects.requireNonNull(unused, "unused");
    }

    /** Returns sources with claims only, for use on any machine. */
    public static Sources of(ClaimCoordinator claims) {
      return new Sources(claims, Optional.empty(), Plugins.NONE, Ephemeral.NONE, Unused.NONE);
    }

    /** Returns these sources with the claims of this node. */
    public Sources with(Node here) {
      return new Sources(claims, Optional.of(here), plugins, ephemeral, unused);
    }

    /** Returns these sources with these plugins. */
    public Sources with(Plugins registered) {
      return new Sources(claims, node, registered, ephemeral, unused);
    }

    /** Returns these sources with these volumes. */
    public Sources with(Ephemeral volumes) {
      return new Sources(claims, node, plugins, volumes, unused);
    }

    /** Returns these sources with these unused volumes. */
    public Sources with(Unused volumes) {
      return new Sources(claims, node, plugins, ephemeral, volumes);
    }

    /** Proves that no mounts of a use are left on a node; a volume manager implements this. */
    @FunctionalInterface
    public interface Receipts {

      /**
       * Returns the proof.
       *
       * @param epoch the epoch of the claim
       * @throws io.csi4j.volume.model.VolumeException if there is none
       */
      NodeReceipt receipt(VolumeUse usage, long epoch);
    }

    /** The state that a node knows about itself. */
    public interface Node extends Receipts {

      /**
       * Returns the node of a volume manager.
       *
       * @param name the name of the node, as in claims
       * @param receipts proves that no mounts of a use are left: {@code manager::receipt}
       * @param wanted whether the host wants a use, or may be about to mount it
       */
      static Node of(NodeName name, Receipts receipts, Predicate<VolumeUse> wanted) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(receipts, "receipts");
        Objects.requireNonNull(wanted, "wanted");
        return new Node() {
          @Override
          public NodeName name() {
            return name;
          }

          @Override
          public boolean wants(VolumeUse usage) {
            return wanted.test(usage);
          }

          @Override
          public NodeReceipt receipt(VolumeUse usage, long epoch) {
            return receipts.receipt(usage, epoch);
          }
        };
      }

      /** Returns the name of the node. */
      NodeName name();

      /** Whether the host wants this use, or may be about to mount it. */
      boolean wants(VolumeUse usage);
    }

    /** Volumes that no workload has used for a long time. */
    @FunctionalInterface
    public interface Unused {

      /** No unused volumes. */
      Unused NONE = now -> List.of();

      /**
       * Returns the volumes of a controller that no workload has used for this long. The controller
       * must know the claims of all volumes.
       *
       * @param age the minimum time that a volume must be unused
       */
      static Unused of(VolumeController controller, Duration age) {
        Objects.requireNonNull(controller, "controller");
        Durations.positive("age", age);
        return now -> controller.unused(now.minus(age));
      }

      /** Returns the volumes that are unused for long enough at this time. */
      List<UnusedVolume> find(Instant now);
    }

    /** Plugins that may be unneeded. */
    public interface Plugins {

      /**
       * The plugins in a registry that nothing needs.
       *
       * @param registry the registry; {@code manager.plugins()} if there is a volume manager
       * @param needed whether a volume of the plugin is mounted or pending here, or the host needs
       *     the plugin for future volumes or for calls of a controller
       * @param forget removes a plugin, and returns whether it was registered: {@code
       *     manager::deregister}
       */
      static Plugins of(
          PluginRegistry registry, Predicate<PluginId> needed, Predicate<PluginId> forget) {
        Objects.requireNonNull(registry, "registry");
        Objects.requireNonNull(needed, "needed");
        Objects.requireNonNull(forget, "forget");
        return new Plugins() {
          @Override
          public Map<PluginId, OperatorMessage.Part> unused() {
            Map<PluginId, OperatorMessage.Part> unused = new LinkedHashMap<>();
            for (RegisteredPlugin registered : registry.plugins()) {
              PluginId plugin = registered.registration().id();
              if (!needed.test(plugin)) {
                unused.put(
                    plugin,
                    new OperatorMessage.Part(
                        "it has no volume here, and its host does not need it"));
              }
            }
            return unused;
          }

          @Override
          public boolean forget(PluginId plugin) {
            return forget.test(plugin);
          }
        };
      }

      /** No plugins. */
      Plugins NONE =
          new Plugins() {
            @Override
            public Map<PluginId, OperatorMessage.Part> unused() {
              return Map.of();
            }

            @Override
            public boolean forget(PluginId plugin) {
              return false;
            }
          };

      /** Returns the plugins that no volume needs, on any node, with the reason. */
      Map<PluginId, OperatorMessage.Part> unused();

      /** Removes a plugin; returns false if it was not registered. */
      boolean forget(PluginId plugin);
    }

    /** Volumes whose lifetime ends with that of their workload. */
    public interface Ephemeral {

      /**
       * Returns the recorded {@linkplain VolumeController#ephemeral ephemeral volumes} that the
       * cluster of a controller has created.
       *
       * @param wanted whether the workload of a volume exists, or is about to
       */
      static Ephemeral of(VolumeController controller, Predicate<VolumeKey> wanted) {
        Objects.requireNonNull(controller, "controller");
        Objects.requireNonNull(wanted, "wanted");
        return new Ephemeral() {
          @Override
          public List<VolumeKey> pending() {
            return controller.ephemeral().stream().filter(key -> !wanted.test(key)).toList();
          }

          @Override
          public boolean delete(VolumeKey volume) {
            controller.delete(volume);
            return controller.record(volume).isEmpty();
          }
        };
      }

      /**
       * Returns the ephemeral volumes without claims. A host with ephemeral volumes then needs a
       * claim for each use of them.
       */
      static Ephemeral of(JobVolumes volumes) {
        Objects.requireNonNull(volumes, "volumes");
        return new Ephemeral() {
          @Override
          public List<VolumeKey> pending() {
            return volumes.unclaimed();
          }

          @Override
          public boolean delete(VolumeKey volume) {
            return volumes.deleteUnclaimed(volume);
          }
        };
      }

      /** No ephemeral volumes. */
      Ephemeral NONE =
          new Ephemeral() {
            @Override
            public List<VolumeKey> pending() {
              return List.of();
            }

            @Override
            public boolean delete(VolumeKey volume) {
              return false;
            }
          };

      /** Returns the volumes whose deletion was begun or is due, and that are still recorded. */
      List<VolumeKey> pending();

      /** Continues the deletion of a volume; returns false if it is not done yet. */
      boolean delete(VolumeKey volume);
    }
  }

  /**
   * The pause of a {@link Reaper} before each item of a plan.
   *
   * @since 1.0
   */
  @FunctionalInterface
  public interface Throttle {

    /**
     * Waits until the next item may be started.
     *
     * @throws InterruptedException if the waiting thread is interrupted; the reaper then starts no
     *     other item
     */
    void next() throws InterruptedException;

    /**
     * Returns a throttle that waits this long on average. Each pause is a random time from half of
     * it to one and a half of it, so that the reapers of a cluster do not run in step.
     */
    static Throttle oneEach(Duration time) {
      Objects.requireNonNull(time, "time");
      return () ->
          TimeUnit.NANOSECONDS.sleep(
              (long) (time.toNanos() * (0.5 + ThreadLocalRandom.current().nextDouble())));
    }
  }
}
