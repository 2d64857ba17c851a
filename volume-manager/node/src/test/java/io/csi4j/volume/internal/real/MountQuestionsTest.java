package io.csi4j.volume.internal.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRef;
import io.csi4j.volume.internal.port.Sighting.Health;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.PluginId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Questions to the servers of mounts, of which some hang. */
class MountQuestionsTest {

  private static final PluginId FROZEN = PluginId.of("frozen");
  private static final PluginId OTHER = PluginId.of("other");
  private static final Duration MOMENT = Duration.ofMillis(1);

  private final VirtualTime time = new VirtualTime();
  private final Set<MountPath> dead = ConcurrentHashMap.newKeySet();
  private final Map<MountPath, CountDownLatch> hung = new ConcurrentHashMap<>();
  private final BlockingQueue<MountPath> waiting = new LinkedBlockingQueue<>();
  private final AtomicInteger looks = new AtomicInteger();
  private final MountQuestions questions = new MountQuestions(this::look, new Shared(time));

  /** Virtual time for a test whose questions end on other threads. */
  private static final class Shared implements Scheduler {

    private final ReentrantLock lock = new ReentrantLock();
    private final VirtualTime time;

    Shared(VirtualTime time) {
      this.time = time;
    }

    @Override
    public void execute(Runnable work) {
      throw new AssertionError("Nothing is handed over.");
    }

    @Override
    public Timer after(Duration delay, Runnable work) {
      lock.lock();
      try {
        Timer timer = time.after(delay, work);
        return () -> cancel(timer);
      } finally {
        lock.unlock();
      }
    }

    private void cancel(Timer timer) {
      lock.lock();
      try {
        timer.cancel();
      } finally {
        lock.unlock();
      }
    }
  }

  @AfterEach
  void recoverAll() {
    hung.values().forEach(CountDownLatch::countDown);
    questions.close();
  }

  /** Looks at a path as the kernel does: it waits as long as the server says nothing. */
  private MountProbe look(MountPath path) {
    MountPath mount = path.parent();
    looks.incrementAndGet();
    CountDownLatch recovered = hung.get(mount);
    if (recovered != null) {
      waiting.add(mount);
      try {
        recovered.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    if (dead.contains(mount)) {
      throw MountException.builder(MountException.Reason.OTHER, "The server has ended.")
          .syscall("statx", new Errno(107))
          .build();
    }
    return new MountProbe.Missing();
  }

  private static MountRef mount(int number) {
    return new MountRef(
        MountPath.of("/m/" + number), "boot", new MountRef.Identity.Unique(1_000 + number));
  }

  /** A mount whose server hangs from now on. */
  private MountRef hung(int number) {
    MountRef mount = mount(number);
    hung.put(mount.path(), new CountDownLatch(1));
    return mount;
  }

  private List<Health> ask(PluginId plugin, MountRef mount) {
    List<Health> told = Collections.synchronizedList(new ArrayList<>());
    questions.ask(plugin, mount, told::add);
    return told;
  }

  private Health answer(PluginId plugin, MountRef mount) {
    CompletableFuture<Health> answer = new CompletableFuture<>();
    questions.ask(plugin, mount, answer::complete);
    return Waits.on(answer);
  }

  private MountPath nextThatHangs() throws InterruptedException {
    return waiting.poll(20, TimeUnit.SECONDS);
  }

  @Test
  @Tag("H6")
  void hungMountsOfOnePluginDelayNoQuestionOfAnother() {
    for (int i = 0; i < 100; i++) {
      ask(FROZEN, hung(i));
    }
    dead.add(mount(100).path());

    assertThat(answer(OTHER, mount(100)))
        .as("H6: a hung mount delays no question to a mount of another plugin")
        .isEqualTo(Health.DEAD);
    assertThat(answer(OTHER, mount(101))).isEqualTo(Health.WELL);
    assertThat(looks).hasValueLessThanOrEqualTo(MountQuestions.MOST_THREADS + 2);
  }

  @Test
  void oneHungMountDelaysNoQuestionToAnotherOfItsPlugin() throws InterruptedException {
    MountRef first = hung(1);
    ask(FROZEN, first);
    assertThat(nextThatHangs()).isEqualTo(first.path());
    for (int i = 0; i < MountQuestions.MOST_THREADS; i++) {
      ask(FROZEN, first);
    }
    dead.add(mount(2).path());

    assertThat(answer(FROZEN, mount(2))).isEqualTo(Health.DEAD);
    assertThat(looks).as("one question at a time for one mount").hasValue(2);
  }

  @Test
  void theLimitCountsFromTheAskingAlsoWhereNoThreadIsFree() throws InterruptedException {
    for (int i = 0; i < MountQuestions.MOST_THREADS; i++) {
      ask(FROZEN, hung(i));
      nextThatHangs();
    }
    List<Health> told = ask(FROZEN, mount(100));

    time.pass(MountQuestions.LIMIT.minus(MOMENT));
    assertThat(told).isEmpty();
    time.pass(MOMENT);
    assertThat(told).containsExactly(Health.SILENT);
  }

  @Test
  void whoJoinsAQuestionSharesItsAnswerAndHasItsOwnLimit() throws InterruptedException {
    MountRef mount = hung(1);
    List<Health> first = ask(FROZEN, mount);
    time.pass(MountQuestions.LIMIT.minus(MOMENT));
    List<Health> second = ask(FROZEN, mount);
    time.pass(MOMENT);
    assertThat(first).containsExactly(Health.SILENT);
    assertThat(second).isEmpty();
    time.pass(MountQuestions.LIMIT);
    assertThat(second).containsExactly(Health.SILENT);
    List<Health> third = ask(FROZEN, mount);

    nextThatHangs();
    dead.add(mount.path());
    hung.get(mount.path()).countDown();
    Waits.until(() -> !third.isEmpty());

    assertThat(third).containsExactly(Health.DEAD);
    assertThat(first).as("one is called again").containsExactly(Health.SILENT, Health.DEAD);
    assertThat(second).as("no other is kept").containsExactly(Health.SILENT);
    assertThat(looks).hasValue(1);
    assertThat(answer(FROZEN, mount)).as("a new question").isEqualTo(Health.DEAD);
    assertThat(looks).hasValue(2);
  }

  @Test
  void aMountThatHasTakenThePlaceOfAHungOneHasItsOwnQuestion() throws InterruptedException {
    MountRef gone = hung(1);
    List<Health> first = ask(FROZEN, gone);
    nextThatHangs();
    CountDownLatch server = hung.remove(gone.path());
    MountRef next = new MountRef(gone.path(), "boot", new MountRef.Identity.Unique(7));

    assertThat(answer(FROZEN, next)).isEqualTo(Health.WELL);
    assertThat(first).isEmpty();
    server.countDown();
    Waits.until(() -> first.equals(List.of(Health.WELL)));
  }

  @Test
  void anAnswerInTimeLeavesNothingBehind() {
    assertThat(answer(OTHER, mount(1))).isEqualTo(Health.WELL);

    Waits.until(() -> time.waiting() == 0);
    assertThat(answer(OTHER, mount(1))).isEqualTo(Health.WELL);
    assertThat(looks).hasValue(2);
  }
}
