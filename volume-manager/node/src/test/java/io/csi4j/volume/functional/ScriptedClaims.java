package io.csi4j.volume.functional;

import io.csi4j.volume.internal.port.Claims;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.NodeClaims;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Claims that are worth what a test says; current, if it says nothing. */
final class ScriptedClaims implements Claims {

  /** How long nothing is heard before it counts. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  /** How often what is mounted is asked about, at the most seldom. */
  static final Duration INTERVAL = Duration.ofMinutes(1);

  private final NodeClaims terms;
  private final Map<VolumeUse, ClaimStanding> standings = new ConcurrentHashMap<>();
  private final Map<VolumeUse, VolumeVerdict> verdicts = new ConcurrentHashMap<>();
  private final Map<VolumeUse, List<Consumer<ClaimStanding>>> kept = new ConcurrentHashMap<>();
  private volatile boolean isSilentAboutVolumes;
  private final Set<VolumeUse> silent = ConcurrentHashMap.newKeySet();
  private final List<String> questions = new CopyOnWriteArrayList<>();
  private final AtomicInteger dealtWith = new AtomicInteger();

  ScriptedClaims() {
    this(usual());
  }

  ScriptedClaims(NodeClaims terms) {
    this.terms = terms;
  }

  /** What suits most. */
  static NodeClaims usual() {
    return NodeClaims.builder(
            NodeName.of("n1"),
            (usage, epoch) -> {
              throw new IllegalStateException("The port is asked, and not the host.");
            })
        .patience(PATIENCE)
        .interval(INTERVAL)
        .build();
  }

  /** From now on this claim is worth that. */
  void is(VolumeUse usage, ClaimStanding standing) {
    silent.remove(usage);
    standings.put(usage, standing);
  }

  /** From now on this is the verdict on the volume of this use; it is there before. */
  void is(VolumeUse usage, VolumeVerdict verdict) {
    verdicts.put(usage, verdict);
  }

  /** From now on nobody answers about this claim. */
  void isSilent(VolumeUse usage) {
    silent.add(usage);
  }

  /** From now on questions about this claim are kept, until all are answered together. */
  void keeps(VolumeUse usage) {
    kept.put(usage, new CopyOnWriteArrayList<>());
  }

  /** Answers the questions about a claim that were kept; later ones are answered at once. */
  void answer(VolumeUse usage, ClaimStanding standing) {
    Objects.requireNonNull(kept.remove(usage), "kept").forEach(then -> then.accept(standing));
  }

  /** From now on there is no verdict on any volume. */
  void isSilentAboutVolumes() {
    isSilentAboutVolumes = true;
  }

  /** What was asked so far: {@code web-1@7}, with a question mark whether its volume exists. */
  List<String> questions() {
    return List.copyOf(questions);
  }

  /** How many questions were answered, the answer taken in, or left without one. */
  int dealtWith() {
    return dealtWith.get();
  }

  @Override
  public Optional<NodeClaims> terms() {
    return Optional.of(terms);
  }

  @Override
  public void standing(VolumeUse usage, long epoch, Consumer<ClaimStanding> then) {
    questions.add(usage.workload() + "@" + epoch);
    List<Consumer<ClaimStanding>> keeping = kept.get(usage);
    if (keeping != null) {
      keeping.add(then);
    } else if (!silent.contains(usage)) {
      then.accept(standings.getOrDefault(usage, new ClaimStanding.Current()));
    }
    dealtWith.incrementAndGet();
  }

  @Override
  public void verdict(VolumeUse usage, long epoch, Consumer<VolumeVerdict> then) {
    questions.add(usage.workload() + "@" + epoch + "?");
    if (!isSilentAboutVolumes) {
      then.accept(verdicts.getOrDefault(usage, new VolumeVerdict.Present()));
    }
    dealtWith.incrementAndGet();
  }
}
