package io.csi4j.volume.cluster;

import static io.csi4j.volume.cluster.ClusterWorld.A;
import static io.csi4j.volume.cluster.ClusterWorld.B;
import static io.csi4j.volume.cluster.ClusterWorld.JOB;
import static io.csi4j.volume.cluster.ClusterWorld.LIMIT;
import static io.csi4j.volume.cluster.ClusterWorld.REQUEST;
import static io.csi4j.volume.cluster.ClusterWorld.WEB;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.agent.ControlPlane;
import io.csi4j.volume.agent.NodeAgent;
import io.csi4j.volume.claim.ClaimsOfNode;
import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.NodeReport;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.MemoryStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A volume goes from node a to node b, and an agent or a control plane dies on the way, at each
 * step: the next one, opened on what is durable, goes on to the same end.
 */
class EachStepTest {

  private static final int NEVER = -1;
  private static final ReasonText WHY = new ReasonText("it gets new disks");

  @TempDir private Path temp;

  /** The end of an agent: its calls end nowhere. */
  private static final class KilledException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** One history. */
  private final class History implements AutoCloseable {

    private final RecordStore store = new MemoryStore();
    private final ClusterWorld world;
    private final Link toA;
    private MortalStore seen;
    private Cluster cluster;
    private NodeAgent a;
    private NodeAgent b;

    /** Counts the deaths, so that a test can say that there was one. */
    private int deaths;

    History(Path directory, int nodeDies, int planeDies, boolean isDone) throws IOException {
      world = new ClusterWorld(directory);
      seen = new MortalStore(store, planeDies, isDone);
      cluster = world.cluster(seen);
      toA = new Link(nodeDies, isDone);
      a = world.agent(A, toA);
      b = world.agent(B, new Link(NEVER, false));
      toA.isCounting = true;
      seen.count();
    }

    /** The line from an agent to whatever control plane there is. */
    private final class Link implements ControlPlane {

      private final int last;
      private final boolean isDone;
      private final AtomicInteger calls = new AtomicInteger();
      private final CompletableFuture<Void> died = new CompletableFuture<>();
      private final CompletableFuture<Void> buried = new CompletableFuture<>();
      private volatile boolean isCounting;

      Link(int last, boolean isDone) {
        this.last = last;
        this.isDone = isDone;
      }

      @Override
      public NodeOrders exchange(NodeReport report) {
        return passed(() -> cluster.exchange(report));
      }

      @Override
      public ClaimStanding standing(ClaimQuestion question) {
        return passed(() -> cluster.standing(question));
      }

      @Override
      public VolumeVerdict verdict(ClaimQuestion question) {
        return passed(() -> cluster.verdict(question));
      }

      private <T> T passed(Supplier<T> call) {
        boolean isLast = isCounting && calls.getAndIncrement() == last;
        if (!isLast) {
          if (died.isDone()) {
            throw new KilledException();
          }
          return call.get();
        }
        if (isDone) {
          assertThat(call.get()).isNotNull(); // and the answer is lost
        }
        died.complete(null);
        buried.join();
        throw new KilledException();
      }
    }

    /** Does it all; what dies on the way is opened again, and the step is repeated. */
    void play() {
      drive(() -> reported(a));
      drive(() -> reported(b));
      drive(() -> cluster.acquire(A, WEB, REQUEST));
      drive(() -> a.mount(WEB));
      assertThat(world.publishedOn()).containsExactly("a");
      drive(
          () -> {
            a.release(WEB);
            return WEB;
          });
      drive(() -> cluster.claims().resume());
      assertThat(world.storage.contents().pending()).isEmpty();
      drive(() -> cluster.drain(A, WHY));
      assertThat(cluster.nodesFor(JOB, REQUEST).nodes()).containsExactly(B);
      drive(() -> cluster.acquire(B, JOB, REQUEST));
      drive(() -> b.mount(JOB));
      assertThat(world.publishedOn()).containsExactly("b");
      drive(
          () -> {
            b.release(JOB);
            return JOB;
          });
      drive(() -> cluster.claims().resume());

      assertThat(world.storage.contents().pending()).isEmpty();
      assertThat(world.storage.contents().volumes()).hasSize(1);
      assertThat(cluster.claims().ofNode(A))
          .isEqualTo(new ClaimsOfNode(List.of(), List.of(), List.of(), List.of()));
      assertThat(cluster.claims().ofNode(B))
          .isEqualTo(new ClaimsOfNode(List.of(), List.of(), List.of(), List.of()));
      world.storage.assertLawful();
    }

    private NodeAgent reported(NodeAgent agent) {
      agent.exchange();
      return agent;
    }

    private void drive(Supplier<?> step) {
      CompletableFuture<?> done = CompletableFuture.supplyAsync(step);
      try {
        CompletableFuture.anyOf(done, toA.died).orTimeout(30, TimeUnit.SECONDS).join();
        if (!toA.died.isDone() || toA.buried.isDone()) {
          assertThat(done.join()).isNotNull();
          return;
        }
      } catch (CompletionException failed) {
        if (!seen.isDead()) {
          throw failed;
        }
      }
      deaths++;
      if (seen.isDead()) {
        nextControlPlane();
      } else {
        nextAgent();
      }
      drive(step);
    }

    private void nextControlPlane() {
      cluster.close();
      seen = new MortalStore(store, NEVER, false);
      cluster = world.cluster(seen);
      a.exchange();
      b.exchange();
    }

    private void nextAgent() {
      a.close();
      toA.buried.complete(null);
      a = world.agent(A, new Link(NEVER, false));
      a.exchange();
    }

    @Override
    public void close() {
      toA.buried.complete(null);
      a.close();
      b.close();
      cluster.close();
      world.close();
    }
  }

  @ParameterizedTest
  @Tag("campaign")
  @ValueSource(booleans = {false, true})
  void anAgentThatDiesAroundACallToTheControlPlaneIsFollowedByOneThatGoesOn(boolean isDone)
      throws IOException {
    int deaths;
    int step = 0;
    do {
      try (History history = new History(temp.resolve("n" + step), step, NEVER, isDone)) {
        history.play();
        deaths = history.deaths;
      }
      step++;
    } while (deaths > 0);
    assertThat(step).as("the calls of one mount and one release").isGreaterThan(6);
  }

  @ParameterizedTest
  @Tag("campaign")
  @ValueSource(booleans = {false, true})
  void aControlPlaneThatDiesAroundAWriteIsFollowedByOneThatGoesOn(boolean isDone)
      throws IOException {
    int deaths;
    int step = 0;
    do {
      try (History history = new History(temp.resolve("c" + step), NEVER, step, isDone)) {
        history.play();
        deaths = history.deaths;
      }
      step++;
    } while (deaths > 0);
    assertThat(step).as("the writes of a volume and two claims").isGreaterThan(12);
  }

  @ParameterizedTest
  @Tag("campaign")
  @EnumSource(
      value = CsiOperation.class,
      names = {
        "NODE_STAGE_VOLUME",
        "NODE_PUBLISH_VOLUME",
        "NODE_UNPUBLISH_VOLUME",
        "NODE_UNSTAGE_VOLUME"
      })
  void anAgentThatDiesDuringACallOfAPluginIsFollowedByOneThatGoesOn(CsiOperation operation)
      throws IOException {
    for (boolean isDone : List.of(false, true)) {
      Fault fault = isDone ? Fault.applyThenHang() : Fault.hang();
      try (History history = new History(temp.resolve("p" + isDone), NEVER, NEVER, false)) {
        history.world.storage.inject(fault, When.calling(operation).once());
        CompletableFuture<?> hangs =
            CompletableFuture.runAsync(
                () ->
                    history
                        .world
                        .storage
                        .journal()
                        .await(call -> call.operation() == operation, LIMIT));
        hangs.thenRun(() -> history.toA.died.complete(null));
        history.play();
        assertThat(history.deaths).isEqualTo(1);
      }
    }
  }

  /** What the campaign does at each step, at one. */
  @Test
  void whoDiesInTheMiddleIsFollowedByOneThatGoesOn() throws IOException {
    for (boolean isDone : List.of(false, true)) {
      try (History history = new History(temp.resolve("n" + isDone), 2, NEVER, isDone)) {
        history.play();
        assertThat(history.deaths).isEqualTo(1);
      }
      try (History history = new History(temp.resolve("c" + isDone), NEVER, 7, isDone)) {
        history.play();
        assertThat(history.deaths).isEqualTo(1);
      }
    }
  }

  @Test
  void nobodyDies() throws IOException {
    try (History history = new History(temp, NEVER, NEVER, false)) {
      history.play();
      assertThat(history.deaths).isZero();
    }
  }
}
