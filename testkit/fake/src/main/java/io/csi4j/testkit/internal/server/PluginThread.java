package io.csi4j.testkit.internal.server;

import io.csi4j.testkit.journal.CallJournal;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A thread of a testkit server. The thread refers to the journal of the server's calls. */
public final class PluginThread extends Thread {

  private final Supplier<? extends @Nullable CallJournal> owner;

  private PluginThread(
      Supplier<? extends @Nullable CallJournal> owner, Runnable task, String name) {
    super(task, name);
    this.owner = owner;
    setDaemon(true);
  }

  /**
   * Returns a factory of numbered daemon threads. {@code owner} supplies the journal of the server,
   * or null.
   */
  public static ThreadFactory factory(
      Supplier<? extends @Nullable CallJournal> owner, String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> new PluginThread(owner, task, name + "-" + count.incrementAndGet());
  }

  /** Returns the running threads of the server with this journal. */
  public static Set<Thread> of(CallJournal journal) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(each -> each instanceof PluginThread thread && thread.owner.get() == journal)
        .collect(Collectors.toSet());
  }
}
