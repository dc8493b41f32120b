import torch,torch.nn as nn   ;import os
os.environ['CUDA_VISIBLE_DEVICES']='0' # first card

dev=torch.device( 'cuda'
    if torch.cuda.is_available()   # there?
    else 'cpu' )
net=nn.Sequential(
	nn.Linear( 3,4 ),   # tabs and
	nn.ReLU( ) ,        # spaces
	nn.Linear(4, 1)
).to(
    dev
)
torch.manual_seed( 0 );torch.cuda.manual_seed_all( 0 )
opt = torch . optim . SGD ( net . parameters ( ) , lr = .1 )
X=torch.arange(12.).view(4,3) . to( device = dev ); Y = X.sum(1,keepdim = True)/30
for i in range(3) :
  opt.zero_grad ( ) ; l = ( ( net(X/10)-Y )**2 ).mean() ; l.backward( ) ; opt.step( )
  if i%2==0: print( "%.5f"%l.item( ) ) ; torch.cuda.empty_cache()
else :
    print( 'done' ,
           net( X ).shape )
if torch.cuda.is_available(): torch.cuda.synchronize( )
