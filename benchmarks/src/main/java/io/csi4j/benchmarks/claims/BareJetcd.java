package io.csi4j.benchmarks.claims;

import io.csi4j.benchmarks.Callers;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;

/**
 * Writes the same bytes to etcd. Each write is a transaction that expects the revision of the
 * previous write.
 */
final class BareJetcd implements Callers.Work, AutoCloseable {

  private final Client client;
  private final KV kv;
  private final List<ByteSequence> writes;
  private final boolean looks;
  private final long[] revisions;

  /** The prefix of keys that no earlier run has written. */
  private final UUID run = UUID.randomUUID();

  /**
   * Writes to the etcd at this address.
   *
   * @param looks whether the key is read before each write, as a program with concurrent writers
   *     does
   */
  BareJetcd(String endpoint, List<byte[]> writes, boolean looks, int callers) {
    this.client = Client.builder().endpoints(endpoint).build();
    this.kv = client.getKVClient();
    this.writes = writes.stream().map(ByteSequence::from).toList();
    this.looks = looks;
    this.revisions = new long[callers];
  }

  @Override
  public void doOnce(int caller) throws ExecutionException, InterruptedException {
    ByteSequence key = ByteSequence.from("/bare/" + run + "/" + caller, StandardCharsets.UTF_8);
    for (ByteSequence each : writes) {
      if (looks && kv.get(key).get().getCount() > 1) {
        throw new IllegalStateException("A key is there twice.");
      }
      TxnResponse answer =
          kv.txn()
              .If(new Cmp(key, Cmp.Op.EQUAL, CmpTarget.modRevision(revisions[caller])))
              .Then(Op.put(key, each, PutOption.DEFAULT))
              .Else(Op.get(key, GetOption.DEFAULT))
              .commit()
              .get();
      if (!answer.isSucceeded()) {
        throw new IllegalStateException("Somebody else wrote the key.");
      }
      revisions[caller] = answer.getHeader().getRevision();
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
