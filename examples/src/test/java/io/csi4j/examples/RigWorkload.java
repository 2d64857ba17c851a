package io.csi4j.examples;

import io.csi4j.examples.RigCluster.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One volume and its workload: runs on a node, writes numbers, lets the volume grow and publishes
 * it again, moves to another node, and now and then has it deleted. Beside it an intruder asks for
 * the same volume on another node.
 */
final class RigWorkload {

  private static final Duration BOUND = Duration.ofSeconds(Long.getLong("rig.bound", 75));
  private static final Duration PAUSE = Duration.ofMillis(150);
  private static final long STEP = 2 << 20;
  private static final long LARGEST = 48 << 20;
  private static final String COUNTER = "counter";

  private final RigCluster cluster;
  private final Map<String, RigNode> nodes;
  private final RigStory story;
  private final Random random;
  private final String volume;
  private final String workload;
  private final String intruder;
  private long number;

  /** The last size that was asked for, of which the end may be unknown. */
  private long asked = RigSettings.SMALLEST;

  /** The last size that was acknowledged. */
  private long acknowledged;

  private boolean exists;
  private boolean isDeleting;
  private int mounted;
  private int written;
  private int grown;
  private int deleted;

  RigWorkload(
      RigCluster cluster, Map<String, RigNode> nodes, RigStory story, int index, long seed) {
    this.cluster = cluster;
    this.nodes = nodes;
    this.story = story;
    volume = "v" + index;
    workload = "w" + index;
    intruder = "x" + index;
    random = new Random(seed * 31 + index);
  }

  String volume() {
    return volume;
  }

  /** Whether its volume was created and not deleted. */
  boolean exists() {
    return exists;
  }

  int mounted() {
    return mounted;
  }

  int written() {
    return written;
  }

  int grown() {
    return grown;
  }

  int deleted() {
    return deleted;
  }

  // ---- while there is trouble

  /** Lives until this instant. Anything may fail. */
  void live(Instant until) {
    BooleanSupplier goesOn = () -> Instant.now().isBefore(until);
    while (goesOn.getAsBoolean()) {
      if (isDeleting || (exists && random.nextInt(6) == 0)) {
        giveBack(workload, "");
        delete(goesOn);
      } else {
        use(goesOn);
      }
    }
  }

  private void use(BooleanSupplier goesOn) {
    String node = any(RigSettings.NODES);
    int since = node(node).fences();
    if (!acquire(node, goesOn)) {
      return;
    }
    Path path = mount(node, since, goesOn);
    if (path == null) {
      return;
    }
    for (int deeds = 1 + random.nextInt(5); deeds > 0 && goesOn.getAsBoolean(); deeds--) {
      if (!node(node).work(since, () -> write(path))) {
        return;
      }
      switch (random.nextInt(6)) {
        case 0, 1 -> grow();
        case 2 -> refresh(node);
        case 3 -> intrude(node);
        default -> RigTroubles.pass(Duration.ofMillis(random.nextInt(600)));
      }
    }
    var unused = node(node).work(since, () -> write(path));
    giveBack(workload, random.nextBoolean() ? node : "");
  }

  private RigNode node(String name) {
    return Objects.requireNonNull(nodes.get(name), name);
  }

  private <T> T any(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private Answer plane(String order) {
    return ask(any(RigSettings.PLANES), order);
  }

  /**
   * Gives two control planes an order each at the same time, as callers do that repeat a request
   * elsewhere; returns those that were done, and when that was known first.
   */
  private Map<String, Done> twice(String one, String other) {
    String first = any(RigSettings.PLANES);
    String second = any(RigSettings.PLANES.stream().filter(it -> !it.equals(first)).toList());
    CompletableFuture<Map<String, Done>> beside =
        CompletableFuture.supplyAsync(() -> once(second, other));
    Map<String, Done> done = new HashMap<>(once(first, one));
    beside
        .join()
        .forEach(
            (order, last) -> done.merge(order, last, (x, y) -> x.at().isBefore(y.at()) ? x : y));
    return done;
  }

  private Map<String, Done> once(String plane, String order) {
    Answer answer = ask(plane, order);
    return answer.isDone() ? Map.of(order, new Done(answer.text(), Instant.now())) : Map.of();
  }

  /** What was said to an order that was done, and when. */
  private record Done(String said, Instant at) {}

  private Answer ask(String host, String order) {
    Answer answer = cluster.ask(host, order);
    story.tell(host, order + ": " + answer.text());
    if (!answer.isDone()) {
      RigTroubles.pass(PAUSE);
    }
    return answer;
  }

  private boolean acquire(String node, BooleanSupplier goesOn) {
    for (int tries = 1; goesOn.getAsBoolean(); tries++) {
      String order = "run " + volume + " " + workload + " " + node;
      Map<String, Done> done =
          random.nextInt(2) == 0 ? twice(order, order) : once(any(RigSettings.PLANES), order);
      if (!done.isEmpty()) {
        Done first = Objects.requireNonNull(done.get(order));
        story.add(new RigFact.Granted(volume, workload, node, first.said(), first.at()));
        exists = true;
        return true;
      }
      // It may have been created all the same.
      if (tries % 4 == 0) {
        giveBack(workload, "");
        giveBack(intruder, "");
      }
    }
    return false;
  }

  private @Nullable Path mount(String node, int since, BooleanSupplier goesOn) {
    while (goesOn.getAsBoolean() && node(node).fences() == since) {
      Answer answer = ask(node, "start " + volume + " " + workload);
      Path path = Path.of(answer.isDone() ? answer.text() : "");
      if (answer.isDone() && node(node).work(since, () -> read(node, path))) {
        mounted++;
        return path;
      }
    }
    return null;
  }

  private boolean read(String node, Path path) {
    try {
      Path file = path.resolve(COUNTER);
      long found = Files.exists(file) ? Long.parseLong(Files.readString(file).strip()) : 0;
      story.add(new RigFact.Found(volume, node, found, Instant.now()));
      number = Math.max(number, found);
      return true;
    } catch (IOException failed) {
      story.tell(node, "cannot read " + path + ": " + failed);
      return false;
    }
  }

  private boolean write(Path path) {
    number++;
    boolean isDone = false;
    try {
      Files.writeString(path.resolve(COUNTER), Long.toString(number));
      isDone = true;
      written++;
    } catch (IOException failed) {
      story.tell(volume, "cannot write " + number + " in " + path + ": " + failed);
    }
    story.add(new RigFact.Wrote(volume, number, isDone, Instant.now()));
    return isDone;
  }

  /** Asks two control planes for sizes that were never asked for before. */
  private boolean grow() {
    if (isLarge()) {
      return false;
    }
    String order = "grow " + volume + " " + workload + " ";
    long smaller = asked + STEP;
    asked = smaller + STEP;
    Map<String, Done> done = twice(order + smaller, order + asked);
    for (long each : List.of(smaller, asked)) {
      Done known = done.get(order + each);
      if (known != null) {
        grown++;
        acknowledged = each;
        story.add(new RigFact.Grown(volume, each, known.at()));
      }
    }
    return !done.isEmpty();
  }

  private boolean isLarge() {
    return asked + 2 * STEP > LARGEST;
  }

  private void refresh(String node) {
    var unused = ask(node, "refresh " + volume + " " + workload);
  }

  /** Asks for the volume on another node while it is in use. */
  private void intrude(String node) {
    String other = any(RigSettings.NODES.stream().filter(it -> !it.equals(node)).toList());
    Answer answer = plane("run " + volume + " " + intruder + " " + other);
    if (answer.isDone()) {
      story.add(new RigFact.Granted(volume, intruder, other, answer.text(), Instant.now()));
    }
    giveBack(intruder, "");
  }

  /** Ends a use, once; on its node if that is named, else through a control plane. */
  private void giveBack(String who, String node) {
    story.add(new RigFact.GivingBack(volume, who, Instant.now()));
    var unused =
        node.isEmpty()
            ? plane("stop " + volume + " " + who)
            : ask(node, "end " + volume + " " + who);
  }

  private void delete(BooleanSupplier goesOn) {
    isDeleting = true;
    while (goesOn.getAsBoolean()) {
      if (plane("delete " + volume + " " + workload).isDone()) {
        story.add(new RigFact.Deleted(volume, Instant.now()));
        isDeleting = false;
        exists = false;
        number = 0;
        asked = RigSettings.SMALLEST;
        deleted++;
        return;
      }
      giveBack(workload, "");
      giveBack(intruder, "");
    }
  }

  // ---- when all is well again

  /** Uses the volume once more, where nothing may fail for long; then gives it back. */
  void finish() {
    if (isDeleting && !ends("the deletion of " + volume, this::delete)) {
      return;
    }
    String node = any(RigSettings.NODES);
    int since = node(node).fences();
    giveBack(workload, "");
    giveBack(intruder, "");
    if (!ends("the grant of " + volume, goesOn -> acquire(node, goesOn))) {
      return;
    }
    Path[] path = new Path[1];
    if (!ends("the mount of " + volume, goesOn -> path[0] = mount(node, since, goesOn))
        || path[0] == null) {
      return;
    }
    if (!node(node).work(since, () -> write(path[0]))) {
      story.tell(volume, "could not write in the end");
    }
    if (!isLarge()
        && ends("the growth of " + volume, this::grown)
        && ends("what follows the growth of " + volume, this::awaitFollowed)
        && acknowledged == asked) {
      size(node, path[0]);
      followed(node);
    }
    giveBack(workload, random.nextBoolean() ? node : "");
    if (ends("the release of " + volume, this::awaitReleased)
        && (isLarge() || random.nextInt(3) == 0)) {
      var unused = ends("the deletion of " + volume, this::delete);
    }
  }

  /** Work that goes on as long as it may. */
  private interface Ending {
    void run(BooleanSupplier goesOn);
  }

  /** Does work that has to end within the bound; says whether it did. */
  private boolean ends(String what, Ending work) {
    Instant begun = Instant.now();
    Instant end = begun.plus(BOUND);
    boolean[] isOver = new boolean[1];
    work.run(
        () -> {
          isOver[0] = !Instant.now().isBefore(end);
          return !isOver[0];
        });
    if (isOver[0]) {
      story.add(
          new RigFact.NotEnded(
              what, "it was not done", Duration.between(begun, Instant.now()), Instant.now()));
    }
    return !isOver[0];
  }

  private void grown(BooleanSupplier goesOn) {
    while (goesOn.getAsBoolean() && !isLarge()) {
      if (grow()) {
        return;
      }
    }
  }

  private void awaitFollowed(BooleanSupplier goesOn) {
    while (goesOn.getAsBoolean()
        && !plane("pending " + volume + " " + workload)
            .equals(new Answer(true, "[] Optional.empty"))) {
      RigTroubles.pass(PAUSE);
    }
  }

  private void awaitReleased(BooleanSupplier goesOn) {
    while (goesOn.getAsBoolean()) {
      Answer answer = plane("claims " + volume + " " + workload);
      if (answer.isDone() && !answer.text().contains(volume)) {
        return;
      }
      RigTroubles.pass(PAUSE);
    }
  }

  /** Notes that its node is said to follow the last size. */
  private void followed(String node) {
    Instant now = Instant.now();
    String prefix = volume + "=";
    Answer answer = plane("volumes " + volume + " " + workload);
    Stream.of(answer.text().replaceAll("[\\[\\]]", "").split(", ", -1))
        .filter(each -> each.startsWith(prefix))
        .forEach(
            each ->
                story.add(new RigFact.Followed(each.substring(prefix.length()), node, asked, now)));
  }

  private void size(String node, Path path) {
    try {
      story.add(
          new RigFact.Size(
              volume,
              "the filesystem on " + node,
              Files.getFileStore(path).getTotalSpace(),
              Instant.now()));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
