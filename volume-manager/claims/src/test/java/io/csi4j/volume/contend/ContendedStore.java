package io.csi4j.volume.contend;

import io.csi4j.volume.claim.spi.ClaimStore;
import java.nio.file.Path;
import java.time.Duration;

/** A kind of store that processes contend for. It has a public constructor without arguments. */
public interface ContendedStore {

  /** A real server with the store, which may be killed and stopped. */
  interface Server extends AutoCloseable {

    /** Where it is asked. */
    String address();

    /** SIGKILL. */
    void kill();

    /** Starts it again, with what it had. */
    void start();

    /** SIGSTOP. */
    void pause();

    /** SIGCONT. */
    void resume();

    @Override
    void close();
  }

  /** The product, for people. */
  String product();

  /** Starts a server with its data in this directory, and returns when it answers. */
  Server start(Path directory);

  /** Opens the store of a server. */
  ClaimStore open(String address, Duration deadline);
}
