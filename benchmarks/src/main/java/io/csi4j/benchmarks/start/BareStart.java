package io.csi4j.benchmarks.start;

import io.csi4j.client.internal.proto.IdentityGrpc;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * A host without csi4j. It creates a channel, probes the plugin on a socket once through the
 * generated stub, and prints the result.
 */
public final class BareStart {

  private BareStart() {}

  /** Runs the program. The argument is the socket of the plugin. */
  public static void main(String[] words) throws IOException {
    EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(new DomainSocketAddress(words[0]))
            .channelType(EpollDomainSocketChannel.class, DomainSocketAddress.class)
            .eventLoopGroup(loop)
            .withOption(ChannelOption.SO_KEEPALIVE, null)
            .overrideAuthority("localhost")
            .usePlaintext()
            .build();
    ProbeResponse answer =
        IdentityGrpc.newBlockingStub(channel)
            .withDeadlineAfter(30, TimeUnit.SECONDS)
            .probe(ProbeRequest.getDefaultInstance());
    if (answer.hasReady() && !answer.getReady().getValue()) {
      throw new IllegalStateException("the plugin is not ready");
    }
    System.out.println(Host.PROBED);
    Resident.print();
    channel.shutdownNow();
    var unused = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
