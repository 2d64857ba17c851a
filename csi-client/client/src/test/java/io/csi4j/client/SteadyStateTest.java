package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.identity.IdentityService.Readiness;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.StatusCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A connection that lives long: many calls, many restarts, many callers. */
class SteadyStateTest extends AgainstScriptedPlugin {

  private static final int TRIES = 5;

  @Tag("campaign")
  @Test
  void aHundredThousandCallsLeaveNothingBehind() {
    scripted.recording(false);
    CsiPlugin plugin = connect();
    callsFromFourThreads(plugin, 1_000);
    long files = openFiles();
    int threads = Thread.getAllStackTraces().size();
    callsFromFourThreads(plugin, 25_000);
    assertThat(scripted.count()).isGreaterThan(100_000);
    eventually(() -> openFiles() <= files + 2);
    eventually(() -> Thread.getAllStackTraces().size() <= threads + 2);
  }

  private static void callsFromFourThreads(CsiPlugin plugin, int each) {
    ExecutorService callers = Executors.newFixedThreadPool(4);
    try {
      List<CompletableFuture<Void>> all =
          Stream.generate(
                  () ->
                      CompletableFuture.runAsync(
                          () -> {
                            for (int i = 0; i < each; i++) {
                              plugin.node().unpublishVolume(UNPUBLISH);
                            }
                          },
                          callers))
              .limit(4)
              .toList();
      all.forEach(CompletableFuture::join);
    } finally {
      callers.shutdown();
    }
  }

  @Tag("campaign")
  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void aHundredAndFiftyRestartsLeaveNothingBehind(ConnectOptions.Transport transport) {
    CsiPlugin plugin = connect(options -> options.transport(transport));
    long files = 0;
    int threads = 0;
    for (int round = 0; round < 150; round++) {
      scripted.kill();
      scripted.start();
      plugin.node().unpublishVolume(UNPUBLISH);
      if (round == 30) {
        files = openFiles();
        threads = Thread.getAllStackTraces().size();
      }
    }
    long before = files;
    int then = threads;
    eventually(() -> openFiles() <= before + 2);
    eventually(() -> Thread.getAllStackTraces().size() <= then + 2);
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void aCallRightAfterARestartFindsThePlugin(ConnectOptions.Transport transport) {
    CsiPlugin plugin = connect(options -> options.transport(transport));
    for (int round = 0; round < 20; round++) {
      scripted.kill();
      scripted.start();
      plugin.node().unpublishVolume(UNPUBLISH);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void aProbeRightAfterARestartFindsThePlugin(ConnectOptions.Transport transport) {
    CsiPlugin plugin = connect(options -> options.transport(transport));
    for (int round = 0; round < 20; round++) {
      scripted.kill();
      scripted.start();
      assertThat(triesUntilReady(plugin)).isLessThanOrEqualTo(TRIES);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void aLongAbsenceMakesNoProbeWaitAfterIt(ConnectOptions.Transport transport) {
    CsiPlugin plugin = connect(options -> options.transport(transport));
    for (int round = 0; round < 20; round++) {
      scripted.kill();
      for (int i = 0; i < 6; i++) {
        CsiTransientException failure =
            catchThrowableOfType(CsiTransientException.class, () -> plugin.identity().probe());
        assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(failure.getMessage()).doesNotContain("\tat ").doesNotContain("Exception");
      }
      scripted.start();
      // An attempt to connect that was under way just then may fail yet; there is no back-off.
      assertThat(triesUntilReady(plugin)).isLessThanOrEqualTo(TRIES);
    }
  }

  @Test
  void callersInNumbersDuringAnAbsenceAllEndAndAllFindThePluginAgain() {
    CsiPlugin plugin = connect();
    scripted.kill();
    List<CompletableFuture<Readiness>> lost = probes(plugin, 100);
    lost.forEach(
        each -> assertThat(each.handle((ready, thrown) -> thrown != null).join()).isTrue());
    scripted.start();
    probes(plugin, 100).forEach(each -> assertThat(each.join()).isEqualTo(Readiness.READY));
  }

  private static List<CompletableFuture<Readiness>> probes(CsiPlugin plugin, int number) {
    return IntStream.range(0, number)
        .mapToObj(i -> plugin.identity().async().probe().toCompletableFuture())
        .toList();
  }

  private static int triesUntilReady(CsiPlugin plugin) {
    for (int tries = 1; tries <= 100; tries++) {
      try {
        assertThat(plugin.identity().probe()).isEqualTo(Readiness.READY);
        return tries;
      } catch (CsiTransientException notYet) {
        LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
      }
    }
    return Integer.MAX_VALUE;
  }

  @Test
  void virtualThreadsThatWaitDoNotHoldTheirCarriers() throws Exception {
    Assumptions.assumeTrue(
        Runtime.version().feature() >= 21, "virtual threads are there from JDK 21 on");
    int callers = 200;
    AtomicInteger arrived = new AtomicInteger();
    CountDownLatch all = new CountDownLatch(callers);
    List<Runnable> answers = new java.util.concurrent.CopyOnWriteArrayList<>();
    scripted.on(
        CsiOperation.NODE_UNPUBLISH_VOLUME,
        (call, reply) -> {
          answers.add(
              () ->
                  reply.ok(
                      io.csi4j.client.scripted.ScriptedPlugin.defaultAnswer(
                          call.operation(), call.request())));
          all.countDown();
          if (arrived.incrementAndGet() == callers) {
            answers.forEach(Runnable::run);
          }
        });
    CsiPlugin plugin = connect();
    ExecutorService threads =
        (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    try {
      List<CompletableFuture<Void>> calls =
          Stream.generate(
                  () ->
                      CompletableFuture.runAsync(
                          () -> plugin.node().unpublishVolume(UNPUBLISH), threads))
              .limit(callers)
              .toList();
      reached(all);
      calls.forEach(CompletableFuture::join);
    } finally {
      threads.shutdown();
    }
  }

  private static long openFiles() {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void withTheDefaultsAPluginIsReachableWithinASecondOfItsReturn() {
    try (CsiPlugin plugin = CsiPlugin.connect(scripted.endpoint())) {
      for (int round = 0; round < 20; round++) {
        scripted.kill();
        var unused =
            catchThrowableOfType(CsiTransientException.class, () -> plugin.identity().probe());
        scripted.start();
        long returned = System.nanoTime();
        plugin.node().unpublishVolume(UNPUBLISH);
        assertThat(Duration.ofNanos(System.nanoTime() - returned))
            .as("the time that is promised")
            .isLessThan(Duration.ofSeconds(1));
      }
    }
  }
}
