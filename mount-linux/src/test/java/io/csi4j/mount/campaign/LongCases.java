package io.csi4j.mount.campaign;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Notes where the thread of a test stands while a case runs longer than a second, for {@code
 * testing/longest}. Each class with such a case gets a file in {@code target/longest}, with a line
 * for each case. It fails no test.
 */
public final class LongCases implements TestExecutionListener {

  /** How often a thread is looked at, of the time that is long. */
  private static final int LOOKS = 20;

  private final long limit;

  /** Null where Surefire does not run the tests: nothing is noted then. */
  private final @Nullable Path directory;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition begun = lock.newCondition();

  /** What runs in each thread, a case on top of its class. */
  private final Map<Thread, Deque<Running>> running = new HashMap<>();

  private @Nullable Thread watch;

  /** A case, or a class before and after its cases. */
  private static final class Running {
    private final TestIdentifier test;
    private final Thread thread;
    private final List<String> lines = new ArrayList<>();
    private final Map<String, Integer> seen = new HashMap<>();
    private long since = System.nanoTime();

    Running(TestIdentifier test, Thread thread) {
      this.test = test;
      this.thread = thread;
    }
  }

  /** Notes what takes longer than a second, where Surefire runs the tests. */
  public LongCases() {
    this(
        Duration.ofSeconds(1),
        Optional.ofNullable(System.getProperty("basedir"))
            .map(module -> Path.of(module, "target", "longest"))
            .orElse(null));
  }

  LongCases(Duration limit, @Nullable Path directory) {
    this.limit = limit.toNanos();
    this.directory = directory;
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    if (directory == null) {
      return;
    }
    lock.lock();
    try {
      Thread thread = Thread.currentThread();
      Deque<Running> stack = running.computeIfAbsent(thread, any -> new ArrayDeque<>());
      Running before = stack.peek();
      if (before != null) {
        note(before, stack);
      }
      stack.push(new Running(test, thread));
      begun.signal();
      if (watch == null) {
        Thread watching = new Thread(this::watch, "long-cases");
        watching.setDaemon(true);
        watching.start();
        watch = watching;
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void testPlanExecutionFinished(TestPlan plan) {
    lock.lock();
    try {
      if (watch != null) {
        watch.interrupt();
        watch = null;
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    lock.lock();
    try {
      Deque<Running> stack = running.getOrDefault(Thread.currentThread(), new ArrayDeque<>());
      if (stack.stream().noneMatch(each -> each.test.equals(test))) {
        return;
      }
      Running ended;
      do {
        ended = stack.pop();
      } while (!ended.test.equals(test));
      note(ended, stack);
      Running outer = stack.peek();
      if (outer == null) {
        running.remove(Thread.currentThread());
      } else {
        outer.since = System.nanoTime();
      }
      Optional<ClassSource> type =
          test.getSource().filter(ClassSource.class::isInstance).map(ClassSource.class::cast);
      if (directory != null && type.isPresent()) {
        write(directory, type.get().getClassName(), ended.lines);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Keeps the line of what ran long, with the class that it belongs to. */
  private static void note(Running ended, Deque<Running> outer) {
    double seconds = (System.nanoTime() - ended.since) / 1e9;
    if (!ended.seen.isEmpty()) {
      int all = ended.seen.values().stream().mapToInt(each -> each).sum();
      String most = Collections.max(ended.seen.entrySet(), Map.Entry.comparingByValue()).getKey();
      String line =
          String.format(
              Locale.ROOT,
              "%s\t%.2f\t%d %% %s",
              ended.test.isTest() ? ended.test.getLegacyReportingName() : "(around its cases)",
              seconds,
              100 * ended.seen.get(most) / all,
              most);
      ended.seen.clear();
      outer.stream()
          .filter(each -> each.test.getSource().filter(ClassSource.class::isInstance).isPresent())
          .findFirst()
          .orElse(ended)
          .lines
          .add(line);
    }
  }

  private static void write(Path directory, String type, List<String> lines) {
    String as = System.getenv().getOrDefault("MOUNT_TEST_AS", "plain");
    Path file = directory.resolve(type + "-" + as + ".tsv");
    try {
      if (lines.isEmpty()) {
        Files.deleteIfExists(file);
      } else {
        Files.createDirectories(directory);
        Files.write(file, lines);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void watch() {
    lock.lock();
    try {
      while (true) {
        long soonest = Long.MAX_VALUE;
        for (Deque<Running> each : running.values()) {
          Running now = each.getFirst();
          long age = System.nanoTime() - now.since;
          if (age >= limit) {
            now.seen.merge(place(now.thread, now.test), 1, Integer::sum);
          }
          soonest = Math.min(soonest, Math.max(limit - age, limit / LOOKS));
        }
        long unused = begun.awaitNanos(soonest);
      }
    } catch (InterruptedException e) {
      // All tests have ended.
    } finally {
      lock.unlock();
    }
  }

  /** Where a thread stands: what it does, in which of our methods, from which line of the test. */
  private static String place(Thread thread, TestIdentifier test) {
    Thread.State state = thread.getState();
    StackTraceElement[] stack = thread.getStackTrace();
    List<StackTraceElement> ours =
        Arrays.stream(stack).filter(each -> each.getClassName().startsWith("io.csi4j.")).toList();
    @Nullable String type = testClass(test);
    String top = stack.length == 0 ? "nothing" : method(stack[0]);
    String inner = ours.isEmpty() ? "no code of ours" : method(ours.get(0));
    String line =
        ours.stream()
            .filter(each -> type != null && each.getClassName().startsWith(type))
            .reduce((first, second) -> second)
            // The method of a contract is in another class.
            .or(() -> ours.stream().reduce((first, second) -> second))
            .map(each -> ", from " + each.getFileName() + ":" + each.getLineNumber())
            .orElse("");
    return (state == Thread.State.RUNNABLE ? "runs " : "waits in ")
        + top
        + (top.equals(inner) ? "" : ", in " + inner)
        + line;
  }

  private static @Nullable String testClass(TestIdentifier test) {
    return test.getSource()
        .map(
            source ->
                source instanceof MethodSource method
                    ? method.getClassName()
                    : source instanceof ClassSource type ? type.getClassName() : null)
        .orElse(null);
  }

  private static String method(StackTraceElement frame) {
    String type = frame.getClassName();
    return type.substring(type.lastIndexOf('.') + 1) + "." + frame.getMethodName();
  }
}
