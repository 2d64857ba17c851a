package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.contend.ContendedStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A real etcd of three members. A kill, and a stop, meets one member after the other, and each
 * fourth time all of them.
 */
final class EtcdCluster implements ContendedStore.Server {

  private static final int MEMBERS = 3;

  private final List<EtcdServer> members;
  private List<EtcdServer> paused = List.of();
  private int troubles;

  private EtcdCluster(List<EtcdServer> members) {
    this.members = members;
  }

  /** Starts one, and returns when all members answer. */
  static EtcdCluster begin(Path directory) {
    EtcdCluster cluster =
        new EtcdCluster(
            IntStream.range(0, MEMBERS)
                .mapToObj(i -> EtcdServer.member(directoryOf(directory, "m" + i), "m" + i))
                .toList());
    cluster.start();
    return cluster;
  }

  private static Path directoryOf(Path directory, String member) {
    try {
      return Files.createDirectory(directory.resolve(member));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String address() {
    return members.stream().map(EtcdServer::address).collect(Collectors.joining(","));
  }

  private List<EtcdServer> next() {
    int next = troubles++ % (MEMBERS + 1);
    return next == MEMBERS ? members : List.of(members.get(next));
  }

  @Override
  public void kill() {
    next().forEach(EtcdServer::kill);
  }

  /** Starts the members that do not run. */
  @Override
  public void start() {
    members.stream().filter(each -> !each.isRunning()).forEach(this::launch);
    members.forEach(EtcdServer::awaitHealth);
  }

  private void launch(EtcdServer member) {
    member.launch(members, 100, 1_000);
  }

  @Override
  public void pause() {
    paused = next();
    paused.forEach(EtcdServer::pause);
  }

  @Override
  public void resume() {
    paused.forEach(EtcdServer::resume);
  }

  @Override
  public void backUp() {
    members.forEach(EtcdServer::kill);
    members.forEach(EtcdServer::copyData);
    start();
  }

  @Override
  public void restore() {
    members.forEach(EtcdServer::kill);
    members.forEach(EtcdServer::replaceData);
    start();
    members.get(0).deleteMark("/csi4j/store");
  }

  @Override
  public void close() {
    members.stream().filter(EtcdServer::isRunning).forEach(EtcdServer::close);
  }
}
