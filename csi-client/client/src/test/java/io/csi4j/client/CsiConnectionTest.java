package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.BoolValue;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiCancelledException;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.scripted.ScriptedPlugin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several users of one connection: what they share, and what belongs to each. */
class CsiConnectionTest extends AgainstScriptedPlugin {

  private CsiConnection connection;

  @BeforeEach
  void name() {
    connection = CsiConnection.to(CsiEndpoint.of(directory.resolve("csi.sock")));
  }

  private CsiPlugin user(UnaryOperator<ConnectOptions.Builder> change) {
    return connection.connect(
        change.apply(ConnectOptions.builder().deadline(Duration.ofSeconds(20))).build());
  }

  private CsiPlugin user() {
    return user(options -> options);
  }

  /** How many connections the plugin has accepted and not lost. */
  private long accepted() {
    try {
      String end = " " + directory.resolve("csi.sock");
      List<String> sockets = Files.readAllLines(Path.of("/proc/net/unix"));
      return sockets.stream().filter(each -> each.endsWith(end) && each.contains(" 03 ")).count();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static CompletableFuture<Void> unpublish(CsiPlugin plugin) {
    return plugin.node().async().unpublishVolume(UNPUBLISH).toCompletableFuture();
  }

  @Test
  void allWhoConnectShareOneSocketUntilTheLastHasClosed() {
    CsiPlugin first = user();
    CsiPlugin second = user(options -> options.requireReady(false).callbacksInPlace(true));
    assertThat(accepted()).isEqualTo(1);

    first.close();
    first.close();
    second.node().unpublishVolume(UNPUBLISH);
    assertThat(accepted()).isEqualTo(1);

    second.close();
    eventually(() -> accepted() == 0);
    try (CsiPlugin third = user()) {
      third.node().unpublishVolume(UNPUBLISH);
    }
  }

  @Test
  void closingEndsTheCallsOfOneUserAndNoOthers() {
    hang(CsiOperation.NODE_UNPUBLISH_VOLUME);
    CsiPlugin first = user(options -> options.callbacksInPlace(true));
    try (CsiPlugin second = user()) {
      CompletableFuture<Void> ended = unpublish(first);
      CompletableFuture<Void> goesOn = unpublish(second);
      arrived(CsiOperation.NODE_UNPUBLISH_VOLUME, 2);

      first.close();

      assertThat(ended).isDone();
      CompletionException thrown = catchThrowableOfType(CompletionException.class, ended::join);
      assertThat(thrown.getCause())
          .isInstanceOfSatisfying(
              CsiCancelledException.class,
              failure ->
                  assertThat(failure.reason()).isEqualTo(CsiCancelledException.Reason.CLOSED));
      assertThat(goesOn).isNotDone();
      assertThat(second.identity().probe().isReady()).isTrue();
      CsiCancelledException refused =
          catchThrowableOfType(
              CsiCancelledException.class, () -> first.node().unpublishVolume(UNPUBLISH));
      assertThat(refused.reason()).isEqualTo(CsiCancelledException.Reason.CLOSED);
    }
  }

  @Test
  void eachListenerHearsOfTheCallsOfItsOwnUser() {
    ConcurrentLinkedQueue<CsiOperation> heard = new ConcurrentLinkedQueue<>();
    CsiListener listener =
        new CsiListener() {
          @Override
          public void onStart(Started event) {
            heard.add(event.operation());
          }
        };
    try (CsiPlugin first = user(options -> options.listener(listener));
        CsiPlugin second = user()) {
      heard.clear();
      second.node().unpublishVolume(UNPUBLISH);
      assertThat(first.identity().probe().isReady()).isTrue();
    }
    assertThat(heard).containsExactly(CsiOperation.PROBE);
  }

  @Test
  void oneWhoWantsAReadyPluginDoesNotHoldUpOneWhoDoesNot() {
    scripted.answer(
        CsiOperation.PROBE, ProbeResponse.newBuilder().setReady(BoolValue.of(false)).build());
    CountDownLatch over = new CountDownLatch(1);
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    Thread waiting =
        new Thread(
            () -> {
              try {
                user();
              } catch (CsiConnectException failed) {
                failure.complete(failed);
              }
              over.countDown();
            });
    waiting.start();
    arrived(CsiOperation.PROBE, 2);

    try (CsiPlugin asks = user(options -> options.requireReady(false))) {
      assertThat(asks.identity().probe().isReady()).isFalse();
      assertThat(accepted()).isEqualTo(1);
      waiting.interrupt();
      reached(over);
      assertThat(failure.join())
          .isInstanceOfSatisfying(
              CsiConnectException.class,
              failed ->
                  assertThat(failed.reason()).isEqualTo(CsiConnectException.Reason.INTERRUPTED));
      assertThat(asks.identity().probe().isReady()).isFalse();
    }
  }

  @Test
  void aPluginThatWasRestartedIsFoundByAllOverOneSocket() {
    try (CsiPlugin first = user();
        CsiPlugin second = user()) {
      scripted.kill();
      scripted.start();

      first.node().unpublishVolume(UNPUBLISH);
      second.node().unpublishVolume(UNPUBLISH);
      try (CsiPlugin third = user()) {
        third.node().unpublishVolume(UNPUBLISH);
        assertThat(accepted()).isEqualTo(1);
      }
    }
  }

  @Test
  void oneWhoConnectsWhileThePluginIsAwayIsToldSoAndHarmsNobody() {
    try (CsiPlugin first = user()) {
      scripted.kill();

      CsiConnectException failed =
          catchThrowableOfType(
              CsiConnectException.class, () -> user(options -> options.waitForSocket(false)));

      assertThat(failed.reason()).isEqualTo(CsiConnectException.Reason.NO_SUCH_SOCKET);
      scripted.start();
      first.node().unpublishVolume(UNPUBLISH);
      try (CsiPlugin second = user(options -> options.waitForSocket(false))) {
        second.node().unpublishVolume(UNPUBLISH);
        assertThat(accepted()).isEqualTo(1);
      }
    }
  }

  @Test
  void aPluginThatGoesWhileItIsAskedWhetherItIsReadyIsNotWaitedForEither() {
    scripted.on(CsiOperation.PROBE, (call, reply) -> new Thread(scripted::kill).start());

    CsiConnectException failed =
        catchThrowableOfType(
            CsiConnectException.class, () -> user(options -> options.waitForSocket(false)));

    assertThat(failed.reason())
        .isIn(
            CsiConnectException.Reason.NO_SUCH_SOCKET, CsiConnectException.Reason.NOBODY_LISTENING);
    assertThat(failed.failure().elapsed()).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void oneWhoConnectsAfterTheSocketWasMadeAgainMeetsItsMaker() throws IOException {
    try (CsiPlugin before = user()) {
      Files.delete(directory.resolve("csi.sock"));
      try (ScriptedPlugin other = ScriptedPlugin.start(directory.resolve("csi.sock"));
          CsiPlugin after = user()) {
        after.node().unpublishVolume(UNPUBLISH);
        assertThat(other.calls(CsiOperation.NODE_UNPUBLISH_VOLUME)).hasSize(1);
        before.node().unpublishVolume(UNPUBLISH);
        assertThat(scripted.calls(CsiOperation.NODE_UNPUBLISH_VOLUME)).hasSize(1);
      }
    }
  }

  @Test
  void whoDemandsAnotherProcessGetsNoSocketThatWasConnectedWithoutThat() {
    try (CsiPlugin first = user(options -> options.transport(ConnectOptions.Transport.EPOLL))) {
      CsiConnectException failed =
          catchThrowableOfType(
              CsiConnectException.class,
              () ->
                  user(
                      options ->
                          options.transport(ConnectOptions.Transport.EPOLL).requirePeerUid(54321)));

      assertThat(failed.reason()).isEqualTo(CsiConnectException.Reason.WRONG_PEER);
      first.node().unpublishVolume(UNPUBLISH);
    }
  }
}
