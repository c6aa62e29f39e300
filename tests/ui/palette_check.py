#!/usr/bin/env python3
"""Contrast (WCAG 2) and colour-blind distance (Machado 2009, CIEDE2000) of the tokens in a style sheet.

  palette_check.py FILE     1 when states that must be told apart at a glance are too close
"""
import re, sys, math, itertools, pathlib
css = pathlib.Path(sys.argv[1]).read_text()
def block(name):
    m = re.search(r'\[data-theme="%s"\]\s*\{(.*?)\}' % name, css, re.S).group(1)
    return dict(re.findall(r'--([\w-]+):\s*(#[0-9A-Fa-f]{6})', m))
lin = lambda v: v/12.92 if v <= .04045 else ((v+.055)/1.055)**2.4
rgb = lambda h: [lin(int(h[i:i+2],16)/255) for i in (1,3,5)]
lum = lambda h: sum(a*b for a,b in zip(rgb(h),(.2126,.7152,.0722)))
def contrast(a,b):
    x,y = sorted((lum(a),lum(b)),reverse=True); return (x+.05)/(y+.05)
CVD = {"normal":[[1,0,0],[0,1,0],[0,0,1]],
 "protan":[[.152286,1.052583,-.204868],[.114503,.786281,.099216],[-.003882,-.048116,1.051998]],
 "deutan":[[.367322,.860646,-.227968],[.280085,.672501,.047413],[-.011820,.042940,.968881]],
 "tritan":[[1.255528,-.076749,-.178779],[-.078411,.930809,.147602],[.004733,.691367,.303900]]}
def lab(h,kind):
    r = rgb(h); r = [min(1,max(0,sum(m*c for m,c in zip(row,r)))) for row in CVD[kind]]
    X = (.4124564*r[0]+.3575761*r[1]+.1804375*r[2])/.95047
    Y =  .2126729*r[0]+.7151522*r[1]+.0721750*r[2]
    Z = (.0193339*r[0]+.1191920*r[1]+.9503041*r[2])/1.08883
    f = lambda t: t**(1/3) if t > .008856 else 7.787*t+16/116
    return 116*f(Y)-16, 500*(f(X)-f(Y)), 200*(f(Y)-f(Z))
def de(a,b,kind):
    L1,a1,b1 = lab(a,kind); L2,a2,b2 = lab(b,kind)
    C = (math.hypot(a1,b1)+math.hypot(a2,b2))/2; G = .5*(1-math.sqrt(C**7/(C**7+25**7)))
    a1,a2 = a1*(1+G),a2*(1+G); C1,C2 = math.hypot(a1,b1),math.hypot(a2,b2)
    h1,h2 = math.degrees(math.atan2(b1,a1))%360, math.degrees(math.atan2(b2,a2))%360
    dL,dC = L2-L1,C2-C1; dh = (h2-h1+180)%360-180 if C1*C2 else 0
    dH = 2*math.sqrt(C1*C2)*math.sin(math.radians(dh/2))
    Lm,Cm = (L1+L2)/2,(C1+C2)/2
    hm = h1+h2 if C1*C2==0 else ((h1+h2)/2 if abs(h1-h2)<=180 else (h1+h2+360)/2)
    T = 1-.17*math.cos(math.radians(hm-30))+.24*math.cos(math.radians(2*hm))+.32*math.cos(math.radians(3*hm+6))-.2*math.cos(math.radians(4*hm-63))
    SL = 1+.015*(Lm-50)**2/math.sqrt(20+(Lm-50)**2); SC = 1+.045*Cm; SH = 1+.015*Cm*T
    RT = -2*math.sqrt(Cm**7/(Cm**7+25**7))*math.sin(math.radians(60*math.exp(-((hm-275)/25)**2)))
    return math.sqrt((dL/SL)**2+(dC/SC)**2+(dH/SH)**2+RT*dC/SC*dH/SH)
STATES = "pending held retry submitting running completed failed abandoned cancelled".split()
MUST = [("failed","completed"),("failed","running"),("failed","pending"),("failed","cancelled"),("running","completed"),
        ("running","pending"),("completed","pending"),("completed","cancelled"),("failed","retry"),("completed","retry"),("failed","abandoned"),("running","retry")]
FLOOR = 7.5
bad = []
for theme in ("dark","light"):
    t = block(theme); print("==",theme)
    bgs = [b for b in ("bg0","bg1","bg2","bg3","sel","lane") if b in t]
    for k in ("text1","text2","text3","accent","line2"):
        print(f"  {k:10}", " ".join(f"{b} {contrast(t[k],t[b]):5.2f}" for b in bgs))
    print("   on-accent ", f"{contrast(t['on-accent'],t['accent-fill']):.2f}")
    for s in STATES:
        print(f"  {s:10} ink {t['s-'+s]}", " ".join(f"{b} {contrast(t['s-'+s],t[b]):5.2f}" for b in bgs),
              f"| fill {t['f-'+s]} lane {contrast(t['f-'+s],t['lane']):.2f}")
    for pre,what in (("s-","ink"),("f-","fill")):
        for kind in CVD:
            allp = sorted((de(t[pre+a],t[pre+b],kind),a,b) for a,b in itertools.combinations(STATES,2))
            must = sorted((de(t[pre+a],t[pre+b],kind),a,b) for a,b in MUST)
            if must[0][0] < FLOOR: bad.append(f"{theme} {what} {kind}: {must[0]}")
            print(f"  {what} {kind:7} must-tell min {must[0][0]:4.1f} {must[0][1]}/{must[0][2]}; {must[1][0]:4.1f} {must[1][1]}/{must[1][2]};  any-pair min",
                  ", ".join(f"{d:.1f} {a}/{b}" for d,a,b in allp[:4]))
    on = {s: max(contrast(t['f-'+s],"#FFFFFF"), contrast(t['f-'+s],"#0C0F12")) for s in STATES}
    print("  text in a bar, least", min((round(v,2),k) for k,v in on.items()))
    print("  accent vs running", {k: round(de(t['accent'],t['s-running'],k),1) for k in CVD})
for b in bad: print("TOO CLOSE", b)
sys.exit(bool(bad))
