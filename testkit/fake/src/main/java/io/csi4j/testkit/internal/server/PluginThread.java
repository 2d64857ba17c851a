package io.csi4j.testkit.internal.server;

import io.csi4j.testkit.journal.CallJournal;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** A thread of a test plugin, which is known by its journal. */
public final class PluginThread extends Thread {

  private final Supplier<CallJournal> owner;

  private PluginThread(Supplier<CallJournal> owner, Runnable task, String name) {
    super(task, name);
    this.owner = owner;
    setDaemon(true);
  }

  /** Daemon threads of the plugin with this journal, numbered. */
  public static ThreadFactory factory(Supplier<CallJournal> owner, String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> new PluginThread(owner, task, name + "-" + count.incrementAndGet());
  }

  /** The threads of the plugin with this journal that run now. */
  public static Set<Thread> of(CallJournal journal) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(each -> each instanceof PluginThread thread && thread.owner.get() == journal)
        .collect(Collectors.toSet());
  }
}
