package io.csi4j.volume.upkeep;

import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimPage;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimState;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.internal.claims.RoundOfCalls;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.OperatorMessage.Part;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Gives back what is not needed any more, in two steps: a plan with a reason for each thing, and
 * its application, which looks at each thing again right before it. Nothing is freed because it is
 * old: a claim goes only by the way that every claim goes, with proof.
 *
 * <p>To be called from time to time, on a thread of the host. Methods block as long as the store
 * and the sources do.
 *
 * @since 1.0
 */
public final class Reaper {

  /** So many claims are read at a time. */
  private static final int PAGE = 500;

  private final ClaimBook book;
  private final ReaperSources sources;
  private final Clock clock;
  private final Consumer<OperatorMessage> told;

  /** The volumes whose items come last in the next application. */
  private volatile List<VolumeKey> last = List.of();

  /**
   * A reaper of the claims in this book.
   *
   * @param clock the time, for the ages that people are told
   * @param told is told of what was given back, and in each plan of claims that cannot be read
   */
  public Reaper(
      ClaimBook book, ReaperSources sources, Clock clock, Consumer<OperatorMessage> told) {
    this.book = Objects.requireNonNull(book, "book");
    this.sources = Objects.requireNonNull(sources, "sources");
    this.clock = Objects.requireNonNull(clock, "clock");
    this.told = Objects.requireNonNull(told, "told");
  }

  /**
   * Returns what could be given back now. Nothing is done. A claim that cannot be read is told and
   * left alone, and its volume is not planned to be deleted.
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
                volume, new Part("its workload has ended, and its deletion is not done")));
      }
    }
    return List.copyOf(items);
  }

  /** Asks for the very claim: the page may not say whose claims it cannot read. */
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

  /** Returns the leftover that a claim is, if it is one. */
  private Optional<Leftover> leftover(VolumeUse usage, ClaimHolder holder) {
    if (holder.state() != ClaimState.TAKEN) {
      return Optional.of(
          new Leftover.PastClaim(
              usage,
              holder,
              new Part("it is " + holder.state() + ", and has not been freed" + age(holder))));
    }
    return isOrphaned(usage, holder)
        ? Optional.of(
            new Leftover.OrphanedClaim(
                usage,
                holder,
                new Part(
                    "node '"
                        + holder.node()
                        + "' has neither a record nor a mount of it, and its host does not want it"
                        + age(holder))))
        : Optional.empty();
  }

  private boolean isOrphaned(VolumeUse usage, ClaimHolder holder) {
    return here(holder).filter(node -> !node.wants(usage)).isPresent()
        && receipt(usage, holder).isPresent();
  }

  /** The node that the reaper runs on, if the claim is its. */
  private Optional<ReaperSources.Node> here(ClaimHolder holder) {
    return sources.node().filter(node -> node.name().equals(holder.node()));
  }

  private Optional<NodeReceipt> receipt(VolumeUse usage, ClaimHolder holder) {
    try {
      return here(holder).map(node -> node.receipt(usage, holder.epoch()));
    } catch (VolumeException isThere) {
      return Optional.empty();
    }
  }

  /** For people; nothing is decided by it. */
  private String age(ClaimHolder holder) {
    return " (claimed "
        + Math.max(0, Duration.between(holder.since(), clock.instant()).toSeconds())
        + " s ago)";
  }

  /**
   * Gives back what the plan says, one after the other, as far as it is still so.
   *
   * <p>Each call to a plugin may take its turn and the budget of its policy ({@link
   * io.csi4j.volume.controller.ControllerSettings}). A plugin that leaves two calls without an
   * answer is called again in the next application only: its other items fail at once, and those of
   * other plugins go on. So each such plugin costs twice that time, no matter how many items it
   * has. Items that had no answer come last in the next application, so that each gets its turn.
   *
   * @param throttle how fast
   * @return what became of each item that was begun with, in the order of the plan
   */
  public List<ReaperResult> apply(List<Leftover> plan, ReaperThrottle throttle) {
    List<VolumeKey> lastNow = last;
    RoundOfCalls round = new RoundOfCalls();
    ClaimCoordinator claims = sources.claims().through(round::over);
    Map<Leftover, ReaperResult> ends = new HashMap<>();
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

  private ReaperResult apply(Leftover item, ClaimCoordinator claims, RoundOfCalls round) {
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
      return ended(item, ReaperResult.End.FAILED, String.valueOf(failure.getMessage()));
    }
  }

  /** The claim of an item, if it is still the one that was seen. */
  private Optional<ClaimHolder> same(VolumeUse usage, ClaimHolder seen) {
    return book.read(usage.volume())
        .holder(usage.workload())
        .filter(now -> now.epoch() == seen.epoch() && now.state() == seen.state());
  }

  private ReaperResult past(Leftover.PastClaim item, ClaimCoordinator claims) {
    Optional<ClaimHolder> now = same(item.usage(), item.holder());
    if (now.isEmpty()) {
      return stale(item);
    }
    Optional<NodeReceipt> receipt =
        now.filter(holder -> holder.state() == ClaimState.UNPUBLISHING)
            .flatMap(holder -> receipt(item.usage(), holder));
    if (receipt.isEmpty()) {
      return brought(item, claims.resume(item.usage()));
    }
    tell(OperatorCode.DETACH_RESUMED, item.usage(), item.reason());
    return brought(item, claims.confirmRelease(receipt.get()));
  }

  private ReaperResult orphan(Leftover.OrphanedClaim item, ClaimCoordinator claims) {
    Optional<ClaimHolder> now = same(item.usage(), item.holder());
    if (now.isEmpty() || !isOrphaned(item.usage(), now.get())) {
      return stale(item);
    }
    tell(OperatorCode.CLAIM_ORPHANED, item.usage(), item.reason());
    // From here on its node mounts nothing with it; only a receipt given after that is a proof.
    ClaimProgress leaving = claims.release(item.usage());
    Optional<NodeReceipt> receipt =
        leaving instanceof ClaimProgress.WaitsForNode waits
            ? receipt(item.usage(), waits.holder())
            : Optional.empty();
    return brought(item, receipt.map(claims::confirmRelease).orElse(leaving));
  }

  private ReaperResult plugin(Leftover.UnusedPlugin item) {
    if (!sources.plugins().unused().containsKey(item.plugin())) {
      return stale(item);
    }
    return sources.plugins().forget(item.plugin())
        ? ended(item, ReaperResult.End.DONE, "it is forgotten")
        : stale(item);
  }

  private ReaperResult ephemeral(Leftover.EphemeralVolume item, RoundOfCalls round) {
    if (!sources.ephemeral().pending().contains(item.volume())) {
      return stale(item);
    }
    Optional<ReasonText> left = round.whyLeft(item.volume());
    if (left.isPresent()) {
      return ended(item, ReaperResult.End.FAILED, left.get().text());
    }
    try {
      return sources.ephemeral().delete(item.volume())
          ? ended(item, ReaperResult.End.DONE, "it is deleted")
          : ended(item, ReaperResult.End.FAILED, "it is not deleted yet");
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

  private static ReaperResult brought(Leftover item, ClaimProgress progress) {
    return progress instanceof ClaimProgress.Gone
        ? ended(item, ReaperResult.End.DONE, "it is free")
        : ended(item, ReaperResult.End.FAILED, waitsFor(progress));
  }

  private static String waitsFor(ClaimProgress progress) {
    if (progress instanceof ClaimProgress.WaitsForNode) {
      return "its node has to prove that it has nothing mounted";
    } else if (progress instanceof ClaimProgress.WaitsForStorage stuck) {
      return stuck.message().seen().text();
    } else if (progress instanceof ClaimProgress.NeedsProof needs) {
      return needs.message().seen().text();
    }
    return progress instanceof ClaimProgress.Failed failed
        ? failed.message().seen().text()
        : "it is held";
  }

  private static ReaperResult stale(Leftover item) {
    return ended(item, ReaperResult.End.STALE, "it is not as it was when the plan was made");
  }

  private static ReaperResult ended(Leftover item, ReaperResult.End end, String because) {
    return new ReaperResult(item, end, new Part(because));
  }

  private void tell(OperatorCode code, VolumeUse usage, Part reason) {
    told.accept(Messages.of(code, Subject.of("giving back the claim of").by(usage), reason.text()));
  }
}
