package io.csi4j.examples;

import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.examples.RigFact.AtRest;
import io.csi4j.examples.RigFact.Call;
import io.csi4j.examples.RigFact.Expanded;
import io.csi4j.examples.RigFact.Kind;
import io.csi4j.examples.RigJudge.Finding;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import io.csi4j.volume.contend.ContendedStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/** Rounds of a cluster in trouble: deeds and troubles, then peace, then the judgement. */
final class RigRounds {

  /**
   * How much is played.
   *
   * @param time rounds begin until it is over, at least one
   * @param rounds the highest number of rounds
   */
  record Size(Duration time, int rounds, int volumes, Duration trouble, long seed) {}

  /**
   * The outcome.
   *
   * @param did for people
   * @param story where it is told in full, and what it says of the findings
   */
  record Report(int rounds, String did, List<Finding> findings, String story) {}

  private static final Duration REST = Duration.ofSeconds(45);
  private static final int TROUBLES_AT_ONCE = 2;

  private final RigCluster cluster;
  private final RigStory story;
  private final Size size;
  private final Map<String, RigNode> nodes = new HashMap<>();
  private final List<RigWorkload> workloads;
  private final Map<RigTroubles.Trouble, Integer> troubles =
      new EnumMap<>(RigTroubles.Trouble.class);

  private RigRounds(RigCluster cluster, RigStory story, Size size) {
    this.cluster = cluster;
    this.story = story;
    this.size = size;
    RigSettings.NODES.forEach(each -> nodes.put(each, new RigNode()));
    workloads =
        IntStream.range(0, size.volumes())
            .mapToObj(i -> new RigWorkload(cluster, nodes, story, i, size.seed()))
            .toList();
  }

  /** Plays rounds until something is found, or the time is over. */
  static Report play(Scratch scratch, Path logs, ContendedStore kind, RigDefect defect, Size size)
      throws IOException {
    Patience patience = Patience.since(ProcessHandle.current());
    try (RigStory story = new RigStory(logs.resolve("story.log"));
        RigCluster cluster = new RigCluster(scratch, logs, kind, defect, patience)) {
      return new RigRounds(cluster, story, size).play();
    }
  }

  private Report play() {
    awaitNodes();
    Instant end = Instant.now().plus(size.time());
    List<Finding> findings = List.of();
    int rounds = 0;
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      do {
        round(threads, size.seed() * 1_000 + rounds);
        calls();
        findings = RigJudge.judge(story.facts());
        if (findings.isEmpty()) {
          story.forgetCalls();
        }
        rounds++;
      } while (findings.isEmpty() && rounds < size.rounds() && Instant.now().isBefore(end));
    } finally {
      threads.shutdownNow();
    }
    return new Report(rounds, did(rounds), findings, told(findings));
  }

  private String did(int rounds) {
    return "%d rounds of three control planes and three nodes over %d volumes and %s, from seed %d: troubles %s; %d mounts, %d writes, %d growths, %d deletions"
        .formatted(
            rounds,
            size.volumes(),
            cluster.product(),
            size.seed(),
            new TreeMap<>(troubles),
            sum(RigWorkload::mounted),
            sum(RigWorkload::written),
            sum(RigWorkload::grown),
            sum(RigWorkload::deleted));
  }

  private int sum(ToIntFunction<RigWorkload> of) {
    return workloads.stream().mapToInt(of).sum();
  }

  private String told(List<Finding> findings) {
    Set<String> about = new HashSet<>();
    findings.forEach(each -> about.add(each.volume()));
    return "seed " + size.seed() + ", logs in " + cluster.logs() + "\n" + story.about(about);
  }

  /** A node can be given a volume after its first report. */
  private void awaitNodes() {
    until(
        Duration.ofMinutes(1),
        () ->
            RigSettings.PLANES.stream()
                .map(each -> cluster.ask(each, "nodes first first"))
                .allMatch(each -> each.text().equals(RigSettings.NODES.toString())));
  }

  private static boolean until(Duration bound, java.util.function.BooleanSupplier isSo) {
    Instant end = Instant.now().plus(bound);
    while (!isSo.getAsBoolean()) {
      if (!Instant.now().isBefore(end)) {
        return false;
      }
      RigTroubles.pass(Duration.ofMillis(200));
    }
    return true;
  }

  private void round(ExecutorService threads, long seed) {
    RigTroubles makers = new RigTroubles(cluster, nodes, story, seed);
    Instant end = Instant.now().plus(size.trouble());
    List<CompletableFuture<?>> work = new ArrayList<>();
    for (int i = 0; i < TROUBLES_AT_ONCE; i++) {
      work.add(CompletableFuture.runAsync(() -> makers.make(end), threads));
    }
    List<CompletableFuture<?>> lives = new ArrayList<>();
    for (RigWorkload each : workloads) {
      lives.add(CompletableFuture.runAsync(() -> each.live(end), threads));
    }
    work.forEach(CompletableFuture::join);
    makers.done().forEach((trouble, times) -> troubles.merge(trouble, times, Integer::sum));
    story.tell("rig", "makes no more trouble");
    cluster.awaitReady();
    lives.forEach(CompletableFuture::join);
    story.tell("rig", "finishes");
    CompletableFuture.allOf(
            workloads.stream()
                .map(each -> CompletableFuture.runAsync(each::finish, threads))
                .toArray(CompletableFuture[]::new))
        .join();
    rest();
  }

  /** Waits until nothing is left, and notes what there is then, or after the longest wait. */
  private void rest() {
    AtRest[] seen = new AtRest[1];
    boolean unused =
        until(
            REST,
            () -> {
              seen[0] = look();
              return RigJudge.judge(List.of(seen[0])).isEmpty();
            });
    story.add(seen[0]);
    for (RigWorkload each : workloads) {
      RigCluster.Answer answer =
          cluster.ask(RigSettings.PLANES.get(2), "capacity " + each.volume() + " rig");
      if (each.exists() && answer.isDone()) {
        story.add(
            new RigFact.Size(
                each.volume(), "the record", Long.parseLong(answer.text()), Instant.now()));
      }
    }
    Map<String, String> ids = ids();
    for (VolumeEntry each : cluster.stored()) {
      ids.forEach(
          (key, id) -> {
            if (id.equals(each.volume().id().value())) {
              story.add(
                  new RigFact.Size(
                      key, "the storage", each.volume().capacityBytes().orElse(0), Instant.now()));
            }
          });
    }
  }

  private AtRest look() {
    Map<String, String> ids = ids();
    Set<String> wanted = new HashSet<>();
    for (RigWorkload each : workloads) {
      if (each.exists()) {
        wanted.add(ids.getOrDefault(each.volume(), each.volume() + ", which is on no record"));
      }
    }
    Set<String> stored = new HashSet<>();
    List<String> attached = new ArrayList<>();
    for (VolumeEntry each : cluster.stored()) {
      String id = each.volume().id().value();
      stored.add(id);
      each.publishedNodes().forEach(node -> attached.add(id + " to " + node.value()));
    }
    Map<String, List<String>> mounts = new TreeMap<>();
    Map<String, List<String>> known = new TreeMap<>();
    for (String node : RigSettings.NODES) {
      mounts.put(node, cluster.mounts(node).stream().map(it -> it.path().toString()).toList());
      known.put(node, list(cluster.ask(node, "known all rig")));
    }
    List<String> claims = list(cluster.ask(RigSettings.PLANES.get(0), "claims all rig"));
    return new AtRest(wanted, stored, attached, mounts, known, claims, Instant.now());
  }

  private static List<String> list(RigCluster.Answer answer) {
    String text = answer.text();
    if (!answer.isDone()) {
      return List.of(text);
    }
    String inner = text.substring(1, text.length() - 1);
    return inner.isEmpty() ? List.of() : List.of(inner.split(", ", -1));
  }

  /** The ids of the volumes on record, by their keys. */
  private Map<String, String> ids() {
    Map<String, String> ids = new TreeMap<>();
    for (String each : list(cluster.ask(RigSettings.PLANES.get(1), "volumes all rig"))) {
      String[] parts = each.split("=", 2);
      if (parts.length == 2) {
        ids.put(parts[0], parts[1]);
      }
    }
    return ids;
  }

  /** Takes the calls of this round from the proxies. */
  private void calls() {
    cluster
        .proxies()
        .forEach(
            (node, proxy) -> {
              proxy
                  .journal()
                  .calls()
                  .forEach(
                      each -> {
                        call(node, each).ifPresent(story::add);
                        expanded(node, each).ifPresent(story::add);
                      });
              proxy.journal().clear();
            });
  }

  private static Optional<Expanded> expanded(String node, RecordedCall call) {
    return call.operation() == CsiOperation.NODE_EXPAND_VOLUME && call.ok()
        ? Optional.of(
            new Expanded(
                call.request().text("volume_id"),
                node,
                call.request().message("capacity_range").number("required_bytes"),
                call.ended().orElseThrow()))
        : Optional.empty();
  }

  private static Optional<Call> call(String node, RecordedCall call) {
    Kind kind;
    boolean isWriter = false;
    WireMessage request = call.request();
    switch (call.operation()) {
      case NODE_PUBLISH_VOLUME -> {
        kind = Kind.NODE_PUBLISH;
        isWriter =
            !request.flag("readonly")
                && request
                    .message("volume_capability")
                    .message("access_mode")
                    .choice("mode")
                    .startsWith("SINGLE_NODE");
      }
      case NODE_UNPUBLISH_VOLUME -> kind = Kind.NODE_UNPUBLISH;
      case CONTROLLER_PUBLISH_VOLUME -> kind = Kind.CONTROLLER_PUBLISH;
      case CONTROLLER_UNPUBLISH_VOLUME -> kind = Kind.CONTROLLER_UNPUBLISH;
      default -> {
        return Optional.empty();
      }
    }
    boolean isOfController = kind == Kind.CONTROLLER_PUBLISH || kind == Kind.CONTROLLER_UNPUBLISH;
    return Optional.of(
        new Call(
            kind,
            request.text("volume_id"),
            isOfController ? request.text("node_id") : node,
            isWriter,
            call.began(),
            call.ended(),
            call.ok()));
  }
}
