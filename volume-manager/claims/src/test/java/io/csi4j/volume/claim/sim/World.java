package io.csi4j.volume.claim.sim;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.NodeId;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision.Refused;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.store.StoreIdentity;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** All there is: a store of claims, a storage system, processes and nodes; and what must hold. */
final class World {

  /** How volumes are used, and whether they are attached. */
  record Kind(AccessMode mode, boolean attaches) {}

  /** What was counted. */
  enum Count {
    GRANTS,
    RECEIPTS,
    ATTACHED,
    DETACHED,
    FREED,
    REFUSED,
    UNCERTAIN,
    KILLS,
    PAUSES,
    STANDS_STILL,
    CUTS,
    RESTORES,
    OVERRIDES,
    FENCES,
    POWER_CUTS,
    TAKEN_AWAY,
    LEFT_OVER,
    LATE_DETACH,
    LATE_ATTACH,
    HELD,
    DELETED,
    DELETION_UNDONE,
    DELETION_RESUMED
  }

  /** A process: what it keeps when it is killed, and what it does not. */
  class Member {
    final NodeName name;
    StoreIdentity identity;
    ClaimBook book;
    boolean cutOff;

    /** Whether it requests the record of a volume before it claims it. */
    final boolean asks;

    private final Map<Turns.Actor, Map<VolumeKey, SimStore.Look>> looks = new HashMap<>();

    Member(String name, boolean asks) {
      this.name = NodeName.of(name);
      this.asks = asks;
      this.identity = store.identity();
      this.book = made();
    }

    private ClaimBook made() {
      ClaimBook made = new ClaimBook(store.new Line(this), clock, identity);
      return asks ? made.asking(World.this::whyNot) : made;
    }

    void begin() {
      if (defect == Defect.ANY_STORE_IS_TRUSTED || trustsAnew) {
        identity = store.identity();
      }
      book = made();
    }

    boolean isCutOff() {
      return cutOff;
    }

    void saw(Claim claim) {
      looks
          .computeIfAbsent(turns.now(), it -> new TreeMap<>())
          .put(claim.volume(), store.look(claim));
    }

    SimStore.Look lastLook(VolumeKey volume) {
      return looks
          .getOrDefault(turns.now(), Map.of())
          .getOrDefault(volume, store.look(Claim.none(volume)));
    }
  }

  private final Random random;
  private final Turns turns;
  final Defect defect;
  final boolean pauses;
  final SimStore store;
  final SimStorage storage = new SimStorage();
  final SimCatalog catalog = new SimCatalog();
  final List<SimNode> nodes = new ArrayList<>();
  final List<SimCoordinator> coordinators = new ArrayList<>();
  final Map<VolumeKey, Kind> volumes = new TreeMap<>();
  final Deque<NodeReceipt> mail = new ArrayDeque<>();
  final Set<SimStorage.Place> takenAway = new TreeSet<>();
  final Map<Count, Long> counts = new EnumMap<>(Count.class);
  final List<String> story = new ArrayList<>();
  final boolean tells;
  final Chaos chaos;
  boolean trustsAnew;
  boolean calm;
  private long seconds;
  private long highest;
  final Clock clock =
      new Clock() {
        @Override
        public ZoneId getZone() {
          return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
          return this;
        }

        @Override
        public Instant instant() {
          return Instant.EPOCH.plusSeconds(seconds);
        }
      };

  World(long seed, long operations, int processes, Defect defect, boolean tells) {
    this.random = FakeDisk.chance(seed * 31 + 11);
    this.turns = new Turns(seed, 0.6, operations);
    this.defect = defect;
    this.pauses = true;
    this.tells = tells;
    this.store = new SimStore(this);
    List<Kind> kinds = kinds(seed);
    for (int i = 0; i < kinds.size(); i++) {
      VolumeKey volume = VolumeKey.of("v" + i);
      volumes.put(volume, kinds.get(i));
      long id = catalog.newId();
      catalog.put(volume, id, SimCatalog.Standing.THERE);
      storage.volumes.put(volume, id);
    }
    for (int i = 0; i < 3; i++) {
      nodes.add(new SimNode(this, "n" + i));
    }
    for (int i = 0; i < processes; i++) {
      // A second process may know nothing of records.
      coordinators.add(new SimCoordinator(this, i, i == 0 || seed / 4 % 3 != 0));
    }
    for (SimCoordinator each : coordinators) {
      for (int i = 0; i < (processes == 1 ? 3 : 2); i++) {
        turns.add(each.worker());
      }
      turns.add(each.deleter());
    }
    for (SimNode each : nodes) {
      turns.add(each.worker());
      turns.add(each.worker());
    }
    chaos = new Chaos(this);
    turns.add(chaos);
  }

  /** Few volumes, so that many meet at one; or many of all kinds. */
  private static List<Kind> kinds(long seed) {
    List<Kind> one =
        List.of(
            new Kind(AccessMode.SINGLE_NODE_WRITER, true),
            new Kind(AccessMode.SINGLE_NODE_WRITER, false));
    List<Kind> shared =
        List.of(
            new Kind(AccessMode.SINGLE_NODE_MULTI_WRITER, true),
            new Kind(AccessMode.SINGLE_NODE_MULTI_WRITER, false));
    List<Kind> many =
        List.of(
            new Kind(AccessMode.MULTI_NODE_SINGLE_WRITER, true),
            new Kind(AccessMode.MULTI_NODE_SINGLE_WRITER, false),
            new Kind(AccessMode.MULTI_NODE_MULTI_WRITER, true));
    return switch ((int) (seed % 4)) {
      case 0 -> one;
      case 1 -> shared;
      case 2 -> many;
      default -> Stream.of(one, shared, many, one, shared, many).flatMap(List::stream).toList();
    };
  }

  Turns turns() {
    return turns;
  }

  int pick(int n) {
    return random.nextInt(n);
  }

  boolean happens(double probability) {
    return !calm && random.nextDouble() < probability;
  }

  /** What becomes of a write: mostly it is answered. */
  int fate() {
    return happens(0.03) ? 1 + pick(3) : 0;
  }

  /** An effect, at which the process sometimes stands still for long. */
  void standStill() {
    if (turns.standStill(calm ? 0 : 0.1)) {
      count(Count.STANDS_STILL);
    }
  }

  void pass(Duration time) {
    seconds += time.toSeconds();
  }

  void count(Count what) {
    counts.merge(what, 1L, Long::sum);
  }

  void tell(String line) {
    if (tells) {
      story.add(turns.steps() + " " + line);
      if (story.size() > 200_000) {
        story.subList(0, 100_000).clear();
      }
    }
  }

  ClaimRequest wish() {
    List<VolumeKey> keys = new ArrayList<>(volumes.keySet());
    VolumeKey volume = keys.get(pick(keys.size()));
    Kind kind = volumes.get(volume);
    NodeName node =
        store.truth(volume).others(Claim.DELETION).stream()
            .map(ClaimHolder::node)
            .findFirst()
            .filter(it -> pick(2) == 0)
            .orElseGet(() -> nodes.get(pick(nodes.size())).process.name);
    return ClaimRequest.builder(
            VolumeUse.of(volume, WorkloadId.of("w" + pick(4))),
            node,
            new Claim.Use(kind.mode(), AttachmentMode.FILESYSTEM),
            pick(3) == 0 ? ClaimMode.READ : ClaimMode.WRITE)
        .nodeId(idOf(node))
        .build();
  }

  private Optional<Refused> whyNot(ClaimRequest request) {
    return defect == Defect.RECORD_IS_NOT_ASKED || catalog.isThere(request.usage().volume())
        ? Optional.empty()
        : Optional.of(
            new Refused(
                OperatorCode.VOLUME_UNKNOWN, Optional.empty(), new ReasonText("it is not there")));
  }

  static NodeId idOf(NodeName node) {
    return NodeId.of("id-" + node.value());
  }

  SimNode node(NodeName name) {
    return nodes.stream().filter(it -> it.process.name.equals(name)).findFirst().orElseThrow();
  }

  void deliver(ClaimGrant grant) {
    node(grant.node()).inbox.add(grant);
  }

  boolean isCalm() {
    return calm;
  }

  /** Whether somebody may have done meanwhile what a call that is sent was to do. */
  boolean isOvertaken() {
    return coordinators.size() > 1 || chaos.isRestored();
  }

  long highestEpoch() {
    return highest;
  }

  // ---- rules that are not kept

  /** The phase of the operation of the actor whose turn it is. */
  Phase phase() {
    return turns.now() instanceof Phased phased ? phased.phase() : Phase.none();
  }

  /** Somebody of whom is known what he is doing. */
  interface Phased {
    Phase phase();
  }

  /** What somebody is doing. */
  record Phase(
      boolean claims,
      boolean returns,
      boolean deletes,
      Optional<ClaimRequest> request,
      VolumeUse usage) {
    private static final VolumeUse NOTHING = VolumeUse.of(VolumeKey.of("-"), WorkloadId.of("-"));

    static Phase none() {
      return new Phase(false, false, false, Optional.empty(), NOTHING);
    }

    static Phase claiming(ClaimRequest request) {
      return new Phase(true, false, false, Optional.of(request), request.usage());
    }

    static Phase returning(VolumeUse usage) {
      return new Phase(false, true, false, Optional.empty(), usage);
    }

    static Phase deleting(VolumeUse usage) {
      return new Phase(false, false, true, Optional.empty(), usage);
    }

    boolean isAbout(ClaimHolder holder) {
      return usage.workload().equals(holder.workload());
    }
  }

  boolean isDefective() {
    return defect != null;
  }

  /** What is seen of a claim where a rule is not kept. */
  Claim blinded(Claim claim) {
    Phase phase = phase();
    if (defect == null || calm) {
      return claim;
    }
    TreeMap<WorkloadId, ClaimHolder> seen = new TreeMap<>();
    for (ClaimHolder holder : claim.holders().values()) {
      blinded(phase, holder).ifPresent(it -> seen.put(it.workload(), it));
    }
    return new Claim(
        claim.volume(),
        seen.isEmpty() ? Optional.empty() : claim.use(),
        seen,
        claim.epoch(),
        claim.exhaustedUntil(),
        claim.overrides(),
        claim.lastUse());
  }

  private Optional<ClaimHolder> blinded(Phase phase, ClaimHolder holder) {
    boolean own = phase.isAbout(holder);
    ClaimHolder.Attachment nothing = new ClaimHolder.Attachment.NotNeeded();
    switch (defect) {
      case LEAVING_DOES_NOT_COUNT -> {
        if (phase.claims() && !own && holder.state() != ClaimHolder.State.TAKEN) {
          return Optional.empty();
        }
      }
      case NODES_ARE_ALIKE -> {
        if (phase.claims() && !own) {
          ClaimRequest request = phase.request().orElseThrow();
          return Optional.of(
              made(
                  holder,
                  request.node(),
                  request.nodeId(),
                  holder.mode(),
                  holder.state(),
                  holder.attachment()));
        }
      }
      case CLAIMING_AGAIN_CHANGES -> {
        if (phase.claims() && own) {
          return Optional.of(
              made(
                  holder,
                  holder.node(),
                  holder.nodeId(),
                  phase.request().orElseThrow().mode(),
                  holder.state(),
                  holder.attachment()));
        }
      }
      case LET_IN_WHILE_DETACHING -> {
        if (phase.claims() && !own && holder.state() == ClaimHolder.State.NODE_DETACHED) {
          return Optional.of(
              made(holder, holder.node(), holder.nodeId(), holder.mode(), holder.state(), nothing));
        }
      }
      case DETACHED_UNDER_OTHERS -> {
        if (phase.returns() && !own && !holder.state().isAfter(ClaimHolder.State.UNPUBLISHING)) {
          return Optional.empty();
        }
      }
      case DETACHED_BEFORE_NODE -> {
        if (phase.returns() && own && holder.state() == ClaimHolder.State.UNPUBLISHING) {
          return Optional.of(
              made(
                  holder,
                  holder.node(),
                  holder.nodeId(),
                  holder.mode(),
                  ClaimHolder.State.NODE_DETACHED,
                  holder.attachment()));
        }
      }
      case DELETION_SEES_NONE_LEAVING -> {
        if (phase.deletes() && !own && holder.state() != ClaimHolder.State.TAKEN) {
          return Optional.empty();
        }
      }
      case HOLD_IS_NOT_SEEN -> {
        if (phase.claims() && holder.workload().equals(Claim.DELETION)) {
          return Optional.empty();
        }
      }
      case DOUBT_IS_NOTHING -> {
        if (phase.returns()
            && own
            && holder.attachment() instanceof ClaimHolder.Attachment.InDoubt) {
          return Optional.of(
              made(holder, holder.node(), holder.nodeId(), holder.mode(), holder.state(), nothing));
        }
      }
      default -> {}
    }
    return Optional.of(holder);
  }

  private static ClaimHolder made(
      ClaimHolder holder,
      NodeName node,
      Optional<NodeId> id,
      ClaimMode mode,
      ClaimHolder.State state,
      ClaimHolder.Attachment attachment) {
    return new ClaimHolder(
        holder.workload(), node, id, mode, state, holder.epoch(), holder.since(), attachment);
  }

  /** What is written by somebody who does not see all: what he did not see stays as it is. */
  Claim restored(Claim truth, Claim next) {
    highest = Math.max(highest, next.epoch());
    if (defect == null || calm) {
      return next;
    }
    if (defect == Defect.LEFT_OVER_IS_LEFT
        && next.holders().keySet().stream()
            .anyMatch(
                it -> it.value().startsWith("left-attached-") && truth.holder(it).isEmpty())) {
      return truth;
    }
    Phase phase = phase();
    TreeMap<WorkloadId, ClaimHolder> holders = new TreeMap<>(next.holders());
    for (ClaimHolder was : truth.holders().values()) {
      ClaimHolder now = holders.get(was.workload());
      boolean untouched =
          now != null
              && now.epoch() == was.epoch()
              && (!phase.isAbout(was) || (phase.claims() && now.state() == was.state()))
              && blinded(phase, was).filter(now::equals).isPresent();
      boolean hidden = now == null && blinded(phase, was).isEmpty();
      if (untouched || hidden) {
        holders.put(was.workload(), was);
      }
    }
    if (defect == Defect.ALL_ARE_TOLD_DETACHED
        && holders.values().stream()
            .anyMatch(
                it ->
                    it.state() == ClaimHolder.State.CONTROLLER_DETACHED
                        && truth.holder(it.workload()).filter(it::equals).isEmpty())) {
      holders.replaceAll(
          (workload, it) ->
              it.state() == ClaimHolder.State.NODE_DETACHED
                  ? made(
                      it,
                      it.node(),
                      it.nodeId(),
                      it.mode(),
                      ClaimHolder.State.CONTROLLER_DETACHED,
                      new ClaimHolder.Attachment.NotNeeded())
                  : it);
    }
    return new Claim(
        next.volume(),
        holders.isEmpty() ? Optional.empty() : next.use().or(truth::use),
        holders,
        Math.max(next.epoch(), truth.epoch()),
        next.exhaustedUntil(),
        next.overrides(),
        next.lastUse());
  }

  // ---- what must hold

  /** Looked at after each change. */
  void look() {
    for (Map.Entry<VolumeKey, Kind> entry : volumes.entrySet()) {
      VolumeKey volume = entry.getKey();
      AccessMode mode = entry.getValue().mode();
      if (mode == AccessMode.MULTI_NODE_MULTI_WRITER) {
        continue;
      }
      Set<NodeName> there = new TreeSet<>();
      for (SimNode node : nodes) {
        if (node.uses(volume, mode == AccessMode.MULTI_NODE_SINGLE_WRITER)) {
          there.add(node.process.name);
        }
      }
      if (there.size() > 1) {
        throw violation("volume " + volume + " (" + mode + ") is used on " + there);
      }
    }
  }

  AssertionError violation(String what) {
    StringBuilder text = new StringBuilder(what);
    text.append("\nclaims: ").append(store.all());
    text.append("\nattached: ").append(storage.attached);
    nodes.forEach(it -> text.append('\n').append(it));
    story
        .subList(Math.max(0, story.size() - 100_000), story.size())
        .forEach(line -> text.append('\n').append(line));
    return new AssertionError(text.toString());
  }
}
