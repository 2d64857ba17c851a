package io.csi4j.volume.sim;

import io.csi4j.volume.internal.port.Claims;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.NodeClaims;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The claims of a cluster in which other nodes want the volumes, too: they are granted to this one,
 * and may be moved on behind its back. Who is asked about them may be late, or never answer.
 */
final class SimClaims {

  private static final NodeClaims TERMS =
      NodeClaims.builder(
              NodeName.of("node"),
              (usage, epoch) -> {
                throw new IllegalStateException("The port is asked, and not the host.");
              })
          .interval(Duration.ofMinutes(10))
          .build();

  private static final OperatorMessage GONE =
      Messages.of(OperatorCode.VOLUME_GONE, Subject.of("looking for a volume"), "it is not listed");

  private static final Duration LATE = TERMS.patience().plusSeconds(5);

  private final World world;
  private final Map<VolumeUse, Long> granted = new TreeMap<>();
  private final Set<VolumeUse> over = new TreeSet<>();

  /** The uses whose mount has ended as their volume is gone, and that were not asked for since. */
  private final Set<VolumeUse> gone = new TreeSet<>();

  private long epoch;

  SimClaims(World world) {
    this.world = world;
  }

  /** The host claims a use anew. */
  void claim(VolumeUse usage) {
    granted.put(usage, ++epoch);
    over.remove(usage);
  }

  /** The claim that the host has, current or not. */
  long epoch(VolumeUse usage) {
    return granted.get(usage);
  }

  /** Whether this node may have a volume mounted for a use. */
  boolean isCurrent(VolumeUse usage) {
    return granted.containsKey(usage) && !over.contains(usage);
  }

  /** Another node may have got the claim by now. */
  void mayMoveOn(VolumeUse usage, String when) {
    if (world.trouble("the claim of " + usage.workload() + " moves on " + when, 2) == 1) {
      moveOn(usage);
    }
  }

  private void moveOn(VolumeUse usage) {
    world.findings().note("MOVED ON", usage);
    epoch++;
    over.add(usage);
  }

  /** A mount of a use has ended as its volume is gone. */
  void isGone(VolumeUse usage) {
    gone.add(usage);
  }

  /** The host asks for a use, or is another process. */
  void isAskedFor(VolumeUse usage) {
    gone.remove(usage);
  }

  /** Whether nothing may be tried for a use before the host asks for it. */
  boolean isGoneUntilAsked(VolumeUse usage) {
    return gone.contains(usage);
  }

  /** As a process sees them. */
  Claims seenBy(Life life) {
    return new Claims() {
      @Override
      public Optional<NodeClaims> terms() {
        return Optional.of(TERMS);
      }

      @Override
      public void standing(VolumeUse usage, long asked, Consumer<ClaimStanding> then) {
        life.check();
        int kind = world.trouble("the answer about " + usage.workload(), 6);
        world.findings().note("CONFIRM " + kind, usage);
        ClaimStanding before = worth(usage, asked);
        Consumer<ClaimStanding> answer =
            standing -> world.time().later(Duration.ZERO, life, () -> then.accept(standing));
        switch (kind) {
          case 1 -> {
            moveOn(usage);
            answer.accept(worth(usage, asked));
          }
          case 2 -> {}
          case 3 -> {
            world.time().later(Duration.ofSeconds(1), () -> moveOn(usage));
            world.time().later(LATE, life, () -> then.accept(before));
          }
          case 5 -> {
            answer.accept(before);
            world.time().later(Duration.ofNanos(1), () -> moveOn(usage));
          }
          case 4 -> answer.accept(new ClaimStanding.Unknown(new ReasonText("the store is down")));
          default -> answer.accept(before);
        }
      }

      @Override
      public void verdict(VolumeUse usage, long asked, Consumer<VolumeVerdict> then) {
        life.check();
        int kind = world.trouble("the verdict on the volume of " + usage.workload(), 5);
        world.findings().note("VERDICT " + kind, usage);
        VolumeVerdict verdict =
            switch (kind) {
              // The storage system lists it later, as one that was restored.
              case 1, 3 -> new VolumeVerdict.Gone(GONE);
              case 4 -> new VolumeVerdict.Unknown(new ReasonText("the store is down"));
              default -> new VolumeVerdict.Present();
            };
        if (kind != 2) {
          Duration time = kind == 3 ? LATE : Duration.ZERO;
          world.time().later(time, life, () -> then.accept(verdict));
        }
      }
    };
  }

  private ClaimStanding worth(VolumeUse usage, long asked) {
    return isCurrent(usage) && granted.get(usage) == asked
        ? new ClaimStanding.Current()
        : new ClaimStanding.Stale(epoch);
  }
}
