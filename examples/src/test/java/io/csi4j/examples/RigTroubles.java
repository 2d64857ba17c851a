package io.csi4j.examples;

import io.csi4j.testkit.proxy.CsiProxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What goes wrong in a round: each kind of trouble once, in an order by chance, then all again as
 * long as there is time. Two of them at a time, never two for the same process.
 */
final class RigTroubles {

  private static final String STORE = "store";
  private static final String STORAGE = "storage";

  /** The kinds of trouble. */
  enum Trouble {
    PLANE_KILLED,
    PLANE_STOPPED,
    PLANE_CUT_OFF,
    NODE_KILLED,
    NODE_STOPPED,
    NODE_CUT_OFF,
    NODE_FENCED,
    NODE_OFF,
    NODE_DRAINED,
    STORAGE_KILLED,
    STORAGE_STOPPED,
    STORAGE_CUT_OFF,
    STORE_KILLED,
    STORE_STOPPED
  }

  /**
   * One trouble.
   *
   * @param target the host that has it
   * @param lasting how long
   * @param before the pause before it
   */
  private record Plan(Trouble trouble, String target, Duration lasting, Duration before) {}

  private final RigCluster cluster;
  private final Map<String, RigNode> nodes;
  private final RigStory story;
  private final Random random;
  private final Deque<Plan> plans = new ArrayDeque<>();
  private final Map<String, ReentrantLock> locks = new HashMap<>();
  private final Map<Trouble, Integer> done = new EnumMap<>(Trouble.class);

  RigTroubles(RigCluster cluster, Map<String, RigNode> nodes, RigStory story, long seed) {
    this.cluster = cluster;
    this.nodes = nodes;
    this.story = story;
    random = new Random(seed);
    RigSettings.PLANES.forEach(each -> locks.put(each, new ReentrantLock()));
    RigSettings.NODES.forEach(each -> locks.put(each, new ReentrantLock()));
    locks.put(STORE, new ReentrantLock());
    locks.put(STORAGE, new ReentrantLock());
  }

  /** Returns how often each kind was there. */
  Map<Trouble, Integer> done() {
    synchronized (done) {
      return Map.copyOf(done);
    }
  }

  /** Makes trouble until this instant; afterwards all is as it was. */
  void make(Instant until) {
    while (true) {
      Plan plan = next();
      pass(plan.before());
      if (!Instant.now().isBefore(until)) {
        return;
      }
      meet(plan);
    }
  }

  private synchronized Plan next() {
    if (plans.isEmpty()) {
      List<Trouble> all = new ArrayList<>(List.of(Trouble.values()));
      Collections.shuffle(all, random);
      all.forEach(each -> plans.add(plan(each)));
    }
    return plans.remove();
  }

  private Plan plan(Trouble trouble) {
    List<String> all = trouble.name().startsWith("PLANE") ? RigSettings.PLANES : RigSettings.NODES;
    String target = all.get(random.nextInt(all.size()));
    boolean isLong = trouble.name().startsWith("PLANE") && random.nextBoolean();
    long millis = isLong ? RigHost.EXPIRY.toMillis() + 1_500 : 500 + random.nextInt(3_000);
    return new Plan(
        trouble, target, Duration.ofMillis(millis), Duration.ofMillis(random.nextInt(1_500)));
  }

  private void meet(Plan plan) {
    String target = plan.target();
    switch (plan.trouble()) {
      case PLANE_KILLED, NODE_KILLED ->
          during(plan, target, () -> cluster.host(target).kill(), () -> cluster.start(target));
      case PLANE_STOPPED, NODE_STOPPED -> {
        List<Runnable> resume = new ArrayList<>();
        during(
            plan,
            target,
            () -> resume.add(RigGuard.stop(cluster.host(target).pid())),
            () -> resume.forEach(Runnable::run));
      }
      case PLANE_CUT_OFF ->
          during(
              plan,
              target,
              () -> cluster.storeLine(target).silent(true),
              () -> cluster.storeLine(target).silent(false));
      case NODE_CUT_OFF ->
          during(
              plan,
              target,
              () -> cluster.line(target).cut(true),
              () -> cluster.line(target).cut(false));
      case NODE_FENCED, NODE_OFF -> locked(STORAGE, () -> fence(plan));
      case NODE_DRAINED ->
          during(plan, target, () -> tried("drain", target), () -> tried("undrain", target));
      case STORAGE_KILLED -> during(plan, STORAGE, cluster::killStorage, () -> {});
      case STORAGE_STOPPED -> {
        List<Runnable> resume = new ArrayList<>();
        during(
            plan,
            STORAGE,
            () -> resume.add(RigGuard.stop(cluster.storageProcess())),
            () -> resume.forEach(Runnable::run));
      }
      case STORAGE_CUT_OFF ->
          during(
              plan,
              STORAGE,
              () -> cluster.proxies().values().forEach(CsiProxy::freeze),
              () -> cluster.proxies().values().forEach(CsiProxy::thaw));
      case STORE_KILLED ->
          during(plan, STORE, () -> cluster.store().kill(), () -> cluster.store().start());
      case STORE_STOPPED -> {
        List<Runnable> resume = new ArrayList<>();
        during(plan, STORE, () -> resume.add(stopStore()), () -> resume.forEach(Runnable::run));
      }
    }
  }

  /** Kills a node with all its mounts, attests it, and starts it again. */
  private void fence(Plan plan) {
    String node = plan.target();
    during(
        plan,
        node,
        () ->
            Objects.requireNonNull(nodes.get(node))
                .fence(
                    () -> {
                      cluster.host(node).kill();
                      cluster.unmountAll(node);
                      story.add(new RigFact.Fenced(node, Instant.now()));
                    }),
        () -> {
          tried(plan.trouble() == Trouble.NODE_OFF ? "off" : "fence", node);
          cluster.start(node);
        });
  }

  /** The processes that stand still then are all those that this one has started. */
  private Runnable stopStore() {
    RigGuard guard =
        RigGuard.of(ProcessHandle.current().descendants().map(ProcessHandle::pid).toList());
    cluster.store().pause();
    return () -> {
      cluster.store().resume();
      guard.close();
    };
  }

  /** Asks control planes for something about a node until one has done it. */
  private void tried(String order, String node) {
    Instant begun = Instant.now();
    boolean isAttesting = order.equals("fence") || order.equals("off");
    for (int i = 0; ; i++) {
      String plane = RigSettings.PLANES.get(i % RigSettings.PLANES.size());
      RigCluster.Answer answer = cluster.ask(plane, order + " all operator " + node);
      story.tell(plane, order + " " + node + ": " + answer.text());
      if (answer.isDone()) {
        if (isAttesting) {
          story.add(new RigFact.Attested(node, begun, Instant.now()));
        }
        return;
      }
      pass(Duration.ofMillis(200));
    }
  }

  private void during(Plan plan, String lock, Runnable begin, Runnable end) {
    locked(
        lock,
        () -> {
          synchronized (done) {
            done.merge(plan.trouble(), 1, Integer::sum);
          }
          story.tell(plan.target(), plan.trouble() + " for " + plan.lasting().toMillis() + " ms");
          begin.run();
          try {
            pass(plan.lasting());
          } finally {
            end.run();
            story.tell(plan.target(), plan.trouble() + " has ended");
          }
        });
  }

  private void locked(String name, Runnable work) {
    ReentrantLock lock = Objects.requireNonNull(locks.get(name), name);
    lock.lock();
    try {
      work.run();
    } finally {
      lock.unlock();
    }
  }

  static void pass(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(Math.min(left, TimeUnit.MILLISECONDS.toNanos(50)));
    }
  }
}
