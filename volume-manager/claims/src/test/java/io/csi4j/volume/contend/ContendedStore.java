package io.csi4j.volume.contend;

import io.csi4j.volume.store.RecordStore;
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

    /** Puts a copy of all that it has aside, and starts it again. */
    void backUp();

    /** Ends it and puts the copy in its place, without the mark of the store, as operators do. */
    void restore();

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
  RecordStore open(String address, Duration deadline);

  /** Settles a store that was opened here, as a person does after a comparison. */
  void settle(RecordStore store);
}
