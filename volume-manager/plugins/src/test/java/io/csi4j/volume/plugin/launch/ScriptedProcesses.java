package io.csi4j.volume.plugin.launch;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** Processes that do what a test tells them. */
final class ScriptedProcesses implements HostProcessTable {

  final List<Child> started = new ArrayList<>();
  final List<Order> orders = new ArrayList<>();
  IOException refusal;
  Throwable failure;

  @Override
  public Running start(Order order, Consumer<String> line, IntConsumer ended) throws IOException {
    if (refusal != null) {
      throw refusal;
    }
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
    orders.add(order);
    Child child = new Child(100 + started.size(), line, ended);
    started.add(child);
    return child;
  }

  Child last() {
    return started.get(started.size() - 1);
  }

  /** One of them. */
  static final class Child implements Running {

    final List<String> signals = new ArrayList<>();
    private final long pid;
    private final Consumer<String> line;
    private final IntConsumer ended;

    Child(long pid, Consumer<String> line, IntConsumer ended) {
      this.pid = pid;
      this.line = line;
      this.ended = ended;
    }

    void says(String text) {
      line.accept(text);
    }

    void ends(int status) {
      ended.accept(status);
    }

    @Override
    public long pid() {
      return pid;
    }

    @Override
    public void terminate() {
      signals.add("TERM");
    }

    @Override
    public void kill() {
      signals.add("KILL");
    }
  }
}
